"""The meaning of a callable: rules, twins, substitutes, opaque code."""
