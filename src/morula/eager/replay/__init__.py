"""Running again: what a call reads is put back as it was."""
