"""What planner, machine and recorders share: bytecode, memory, objects of Python."""
