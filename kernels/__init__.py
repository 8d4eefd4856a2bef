"""The Mojo kernels of jujunp, and what builds them for this machine."""
