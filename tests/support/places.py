"""Where things are in the tree."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "kernels"
KERNELS_OF_USERS = Path(__file__).with_name("kernels_of_users")
