"""Gathering and scattering."""
