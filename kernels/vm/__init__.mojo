"""The immediate tier: planner, machine and the Python extension module `jjvm`."""
