"""What is outside the subset that the native tier translates."""


class Unsupported(Exception):
    """A construct that has no generated adjoint; the caller goes on with the eager tier on the Python function.

    Args:
        construct: what it is, in words that finish the sentence "uses ...".
        line: the line of the user's source, where there is one.
        function: the name of the user's function that holds it.
    """

    def __init__(self, construct: str, line: int | None = None, function: str = ""):
        super().__init__(construct if line is None else f"{construct} (line {line})")
        self.construct = construct
        self.line = line
        self.function = function
