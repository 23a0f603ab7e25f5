"""Functions that run a kernel once for each row, or column, of Jacobians."""

from collections.abc import Sequence


def rows_text(
    name: str, calls: tuple[str, ...], given: int, leaves: Sequence[tuple[int, bool]], is_number: bool, may_burst: bool,
    is_vector: bool = False,
) -> str:  # fmt: skip
    """A function that makes Jacobians row by row.

    It takes the arguments of the function, and returns its value, whether all is finite, and a Jacobian for each leaf.

    Args:
        name: of the function.
        calls: the names of the functions that it calls: the two halves, or the joint function of a number.
        given: how many arguments it has.
        leaves: for each leaf, which argument it is, and whether it is an array.
        is_number: whether the value is a number.
        may_burst: whether the joint function tells if all is finite.
        is_vector: whether the value is known to be an array with one axis.
    """
    arguments = [f"a{i}" for i in range(given)]
    made = ", ".join([f"j{i}" for i, _ in leaves])
    if is_number:
        bars = [f"j{i}" for i, is_array in leaves if is_array]
        lines = [f"j{i} = np.zeros(a{i}.shape)" for i, is_array in leaves if is_array]
        lines.append(f"found = {calls[0]}({', '.join([*arguments, *bars, '1.0'])})")
        numbers = [i for i, is_array in leaves if not is_array]
        lines += [f"j{i} = found[1][{k}]" for k, i in enumerate(numbers)]
        is_finite = "found[2]" if may_burst else "True"
        return _function(name, arguments, [*lines, f"return found[0], {is_finite}, ({made},)"])
    forward, backward = calls
    bars = [f"j{i}[r]" for i, is_array in leaves if is_array]
    lines = [f"y, tape = {forward}({', '.join(arguments)})", "seed = np.zeros(y.shape)", "places = seed.reshape(-1)"]
    lines += [f"j{i} = np.zeros({f'(y.size,) + a{i}.shape' if is_array else 'y.size'})" for i, is_array in leaves]
    lines += [
        "for r in range(places.size):",
        "    places[r] = 1.0",
        f"    numbers = {backward}({', '.join([*arguments, 'tape', *bars, 'seed'])})",
        *(f"    j{i}[r] = numbers[{k}]" for k, i in enumerate(i for i, is_array in leaves if not is_array)),
        "    places[r] = 0.0",
    ]
    if not is_vector:
        made = ", ".join([f"j{i}.reshape(y.shape{f' + a{i}.shape' if is_array else ''})" for i, is_array in leaves])
    return _function(name, arguments, [*lines, f"return y, True, ({made},)"])


def rows_by_joint_text(given: int, leaves: Sequence[tuple[int, bool]]) -> tuple[str, tuple[str, ...]]:
    """The same, of `kernel`, the joint function, and `primal` in the places of two halves; and the names of all."""
    arguments = ", ".join([f"a{i}" for i in range(given)])
    bars = ", ".join([f"b{k}" for k, (_, is_array) in enumerate(leaves) if is_array] + ["seed"])
    forward = _function("forward", [arguments], [f"return primal({arguments}), ()"])
    backward = _function("backward", [arguments, "tape", bars], [f"return kernel({arguments}, {bars})[1]"])
    rows = rows_text("rows", ("forward", "backward"), given, leaves, False, False)
    return "\n\n".join([forward, backward, rows]), ("forward", "backward", "rows")


def columns_text(name: str, call: str, given: int, leaves: Sequence[tuple[int, bool]], is_number: bool) -> str:
    """As `rows_text`, column by column with the tangent function, which it calls `call`."""
    arguments = [f"a{i}" for i in range(given)]
    lines = [f"d{i} = np.zeros(a{i}.shape)" for i, is_array in leaves if is_array]
    nowhere = [f"d{i}" if is_array else "0.0" for i, is_array in leaves]
    lines.append(f"y = {call}({', '.join([*arguments, *nowhere])})[0]")
    for i, is_array in leaves:
        directions = [f"d{k}" if is_an_array else "1.0" if k == i else "0.0" for k, is_an_array in leaves]
        dot = f"{call}({', '.join([*arguments, *directions])})[1][0]"
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


def blocks_text(
    name: str, call: str, given: int, leaves: Sequence[tuple[int, bool]], is_number: bool, width: int
) -> str:
    """As `columns_text`, with a tangent function that takes several columns at once, in lanes."""
    arguments = [f"a{i}" for i in range(given)]
    lines: list[str] = []
    sizes: list[str] = []
    dots: list[str] = []
    for i, is_array in leaves:
        size = f"a{i}.size" if is_array else "1"
        lines.append(f"o{i} = {' + '.join(sizes) or '0'}")
        lines.append(f"s{i} = np.zeros(({size}, {width}))")
        dots.append(f"s{i}.reshape(a{i}.shape + ({width},))" if is_array else f"lanes_at(s{i}, (0,), {width})")
        sizes.append(size)
    lines.append(f"for c in range(0, max({' + '.join(sizes)}, 1), {width}):")
    lines += [f"    seed_lanes(s{i}, c - o{i}, 1.0)" for i, _ in leaves]
    lines.append(f"    y, (dot,) = {call}({', '.join([*arguments, *dots])})")
    lines += [f"    seed_lanes(s{i}, c - o{i}, 0.0)" for i, _ in leaves]
    rows = "1" if is_number else "y.size"
    lines.append("    if c == 0:")
    lines += [f"        j{i} = np.empty(({rows}, {size}))" for (i, _), size in zip(leaves, sizes, strict=True)]
    if is_number:
        lines += [f"        row = np.empty((1, {width}))", "    set_lanes(row, (0,), dot)"]
    else:
        lines.append(f"    row = np.ascontiguousarray(dot).reshape((y.size, {width}))")
    lines += [f"    set_columns(j{i}, c - o{i}, row)" for i, _ in leaves]
    made = []
    for i, is_array in leaves:
        shape = [*([] if is_number else ["y.shape"]), *([f"a{i}.shape"] if is_array else [])]
        made.append(f"j{i}.reshape({' + '.join(shape)})" if shape else f"j{i}[0, 0]")
    return _function(name, arguments, [*lines, f"return y, True, ({', '.join(made)},)"])


def pushed_text(name: str, call: str, given: int, leaves: Sequence[tuple[int, bool]], _: bool, width: int) -> str:
    """A function of the arguments and of directions, one to a row, along which the only leaf, an array, moves.

    It returns the value, and its tangents in rows.
    """
    arguments = [f"a{i}" for i in range(given)]
    i = leaves[0][0]
    lines = [
        f"s = np.empty((a{i}.size, {width}))",
        f"for c in range(0, directions.shape[0], {width}):",
        "    fill_lanes(s, directions, c)",
        f"    y, (dot,) = {call}({', '.join([*arguments, f's.reshape(a{i}.shape + ({width},))'])})",
        "    if c == 0:",
        "        rows = np.empty((directions.shape[0], y.size))",
        f"    take_lanes(rows, np.ascontiguousarray(dot).reshape((y.size, {width})), c)",
        "return y, rows",
    ]
    return _function(name, [*arguments, "directions"], lines)


def products_text(name: str, call: str, given: int, leaves: Sequence[tuple[str, bool]], width: int) -> str:
    """Products of a Hessian with directions, several at once.

    The function takes the arguments, bars of the arrays among the leaves, and for each leaf directions, one to a row,
    flat. It returns the products in the same form.

    Args:
        name: of the function.
        call: the tangent function, in lanes, of the joint function.
        given: how many arguments there are.
        leaves: for each leaf how it is said, and whether it is an array.
        width: how many lanes there are.
    """
    arguments = [f"a{i}" for i in range(given)]
    arrays = [k for k, (_, is_array) in enumerate(leaves) if is_array]
    numbers = [k for k, (_, is_array) in enumerate(leaves) if not is_array]
    bars, directions = [f"b{k}" for k in arrays], [f"v{k}" for k in range(len(leaves))]
    lines = [f"s{k} = np.empty(({v}.shape[1], {width}))" for k, v in enumerate(directions)]
    lines += [f"h{k} = np.empty(({v}.shape[1], {width}))" for k, v in enumerate(directions)]
    lines += [f"p{k} = np.empty({v}.shape)" for k, v in enumerate(directions)]
    lines.append(f"for c in range(0, v0.shape[0], {width}):")
    lines += [f"    fill_lanes(s{k}, {v}, c)" for k, v in enumerate(directions)]
    lines += [f"    clear(b{k})" for k in arrays] + [f"    clear(h{k})" for k in arrays]
    dots = [f"s{k}.reshape({x}.shape + ({width},))" if a else f"lanes_at(s{k}, (0,), {width})"
            for k, (x, a) in enumerate(leaves)]  # fmt: skip
    bar_dots = [f"h{k}.reshape(b{k}.shape + ({width},))" for k in arrays]
    lines.append(f"    dots = {call}({', '.join([*arguments, *bars, '1.0', *dots, *bar_dots])})[1]")
    lines += [f"    set_lanes(h{k}, (0,), dots[{1 + n}])" for n, k in enumerate(numbers)]
    lines += [f"    take_lanes(p{k}, h{k}, c)" for k in range(len(leaves))]
    made = ", ".join([f"p{k}" for k in range(len(leaves))])
    return _function(name, [*arguments, *bars, *directions], [*lines, f"return ({made},)"])


def _function(name: str, arguments: list[str], lines: list[str]) -> str:
    return f"def {name}({', '.join(arguments)}):\n" + "".join(f"    {line}\n" for line in lines)
