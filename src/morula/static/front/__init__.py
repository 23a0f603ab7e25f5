"""From a Numba function to its intermediate representation: source, normal form, types, lowering."""
