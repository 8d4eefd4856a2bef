"""Tests of `jujunp.polynomial`."""
