"""Tangents: forward derivations inside one context."""
