"""Functions that run a kernel once for each row, or column, of Jacobians."""

from collections.abc import Sequence


def rows_text(name: str, given: int, leaves: Sequence[tuple[int, bool]], is_number: bool, may_burst: bool) -> str:
    """A function that makes Jacobians row by row, with the joint function, which it calls `kernel`.

    It takes the arguments of the function, and returns its value, whether all is finite, and a Jacobian for each leaf.

    Args:
        name: of the function.
        given: how many arguments it has.
        leaves: for each leaf, which argument it is, and whether it is an array.
        is_number: whether the value is a number.
        may_burst: whether the joint function tells if all is finite.
    """
    arguments = [f"a{i}" for i in range(given)]
    lines, bars, numbers = [], [], []
    if not is_number:
        lines = [f"y = primal({', '.join(arguments)})", "seed = np.zeros(y.shape)", "places = seed.reshape(-1)"]
    for i, is_array in leaves:
        if is_array:
            lines.append(f"j{i} = np.zeros({'' if is_number else '(y.size,) + '}a{i}.shape)")
            bars.append(f"j{i}" if is_number else f"j{i}[r]")
        else:
            numbers.append(f"j{i}" if is_number else f"j{i}[r]")
            lines += [] if is_number else [f"j{i} = np.zeros(y.size)"]
    lines.append("is_finite = True")
    body = [
        f"found = kernel({', '.join([*arguments, *bars, '1.0' if is_number else 'seed'])})",
        *(f"{row} = found[1][{k}]" for k, row in enumerate(numbers)),
        *(["is_finite = is_finite and found[2]"] if may_burst else []),
    ]
    if is_number:
        lines += [*body, "y = found[0]"]
    else:
        body = ["places[r] = 1.0", *body, "places[r] = 0.0"]
        lines += ["for r in range(places.size):", *(f"    {line}" for line in body)]
    shape = {i: "y.shape" + (f" + a{i}.shape" if is_array else "") for i, is_array in leaves}
    made = ", ".join([f"j{i}" if is_number else f"j{i}.reshape({shape[i]})" for i, _ in leaves])
    return _function(name, arguments, [*lines, f"return y, is_finite, ({made},)"])


def columns_text(name: str, given: int, leaves: Sequence[tuple[int, bool]], is_number: bool) -> str:
    """As `rows_text`, column by column with the tangent function."""
    arguments = [f"a{i}" for i in range(given)]
    lines = [f"y = primal({', '.join(arguments)})"]
    lines += [f"d{i} = np.zeros(a{i}.shape)" for i, is_array in leaves if is_array]
    for i, is_array in leaves:
        directions = [f"d{k}" if is_an_array else "1.0" if k == i else "0.0" for k, is_an_array in leaves]
        dot = f"kernel({', '.join([*arguments, *directions])})[1][0]"
        if not is_array:
            lines.append(f"j{i} = {dot}" if is_number else f"j{i} = {dot}.copy()")
            continue
        if is_number:
            lines += [f"j{i} = np.empty(a{i}.shape)", f"columns{i} = j{i}.reshape(-1)"]
            place = f"columns{i}[c] = {dot}"
        else:
            lines += [f"j{i} = np.empty(y.shape + a{i}.shape)", f"columns{i} = j{i}.reshape((y.size, a{i}.size))"]
            place = f"set_column(columns{i}, c, {dot}.ravel())"
        lines += [f"places{i} = d{i}.reshape(-1)", f"for c in range(places{i}.size):"]
        lines += [f"    places{i}[c] = 1.0", f"    {place}", f"    places{i}[c] = 0.0"]
    made = ", ".join([f"j{i}" for i, _ in leaves])
    return _function(name, arguments, [*lines, f"return y, True, ({made},)"])


def _function(name: str, arguments: list[str], lines: list[str]) -> str:
    return f"def {name}({', '.join(arguments)}):\n" + "".join(f"    {line}\n" for line in lines)
