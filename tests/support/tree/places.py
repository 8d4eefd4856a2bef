"""Where things are in the tree."""

from pathlib import Path

ROOT = Path(__file__).parents[3]
KERNELS = ROOT / "kernels"
KERNELS_OF_USERS = Path(__file__).parents[1] / "kernels_of_users"
