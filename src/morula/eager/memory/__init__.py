"""Owners of memory, views, writes and their undoing, guards."""
