"""Elementwise functions of users, written in Mojo."""
