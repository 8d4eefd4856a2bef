"""The Mojo kernels of jujunp, and what builds them for this machine."""

import os

# Modular's compiler and MAX report to Modular that they were used unless they are told not to. Who
# exchanges NumPy for another module does not expect that of it.
os.environ.setdefault("MODULAR_TELEMETRY_ENABLED", "false")
