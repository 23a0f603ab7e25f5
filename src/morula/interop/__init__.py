"""What the adapters to other libraries share, and what work in several processes means."""
