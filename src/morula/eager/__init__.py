"""What transformed code runs on: contexts, the tape, the memory of cotangents, containers and calls."""
