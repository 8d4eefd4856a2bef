"""Tests of calls that are recorded again."""
