"""The planner: pending values become bytecode."""
