"""Programs that are refused, as users write them, and the whole text of each refusal."""
