"""Functions of the library that Python calls, by what they are about."""
