"""The compile worker: its process, its queue and its messages."""
