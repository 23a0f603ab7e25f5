"""Python's containers and what they hold; iteration."""
