"""What to write in place of a construct that has no generated adjoint."""

import re

# The beginning of what `Unsupported` names, and what does the same.
REWRITES = (
    ("`try`", "test what could raise with `if`, before it does"),
    ("`with`", "leave the block out of the compiled function"),
    ("`match`", "use `if` and `elif`"),
    ("a dict", "use variables, a tuple or a namedtuple in its place"),
    ("a set", "use an array of integers"),
    ("an instance of ", "use variables, or a namedtuple that is made anew"),
    ("a generator", "use a loop or a list"),
    ("a mask of several axes", "take the mask of the array alone, or loop over its elements"),
    ("a write through a mask of several axes", "write into a copy (`x.copy()`), or in a loop over the elements"),
    ("an index of several arrays", "loop over the indices: `for k in range(len(i)): x[i[k], j[k]]`"),
    ("an array index beside others", "take the slice first, then the rows: `x[:, 1:3][rows]`"),
    ("a write of rows through an array of indices", "loop over the indices: `for k in range(len(i)): x[i[k]] = y[k]`"),
    ("the method .append", "use an array with one row for each item"),
    ("parameters with a star", "name the parameters"),
    ("a list that is returned", "return an array or a tuple"),
    ("a list of something else than numbers", "use an array with one row for each item"),
    ("a write into a slice of a list", "use an array"),
    ("a call with star arguments", "pass a tuple whose length Numba knows"),
    ("star arguments", "name the parameters"),
    ("the integer ", "pass a float"),
    ("an inner function", "define it at the top of the module, under numba.njit"),
    ("a function that is given to one that is called", "call it by its name, or define a function that does"),
    ("a call to a function that is a value", "call it by its name"),
    ("an assignment to an attribute", "use a namedtuple, and make a new one"),
    ("axes of .transpose", "write the axes as literals"),
    ("indexing of DictType", "pass its items as arguments, or a namedtuple"),
    ("indexing of ListType", "pass an array or a tuple"),
    ("iteration over DictType", "pass its items as arguments, or a namedtuple"),
    ("iteration over ListType", "pass an array or a tuple"),
    ("an argument of type List", "pass an array or a tuple"),
    ("an argument of type Dict", "pass its items as arguments, or a namedtuple"),
    ("a list of something other than numbers that is filled later", "use an array with one row for each item"),
    ("a list of arrays", "use an array with one row for each item"),
    ("an array in a list", "make a new array in its place, or use an array with one row for each item"),
    ("an array that is written into once", "append a copy of it (`xs.append(x.copy())`)"),
    ("an array of a list that is returned", "return a copy of it"),
    ("a call to literal_unroll", "call a function for each item by hand, or leave it out where all are of one type"),
    ("a call to np.random.", "draw outside, and pass the draws as an array"),
    ("indexing of a record", "pass one array for each field"),
    ("numba.vectorize", "put the formula into a function under numba.njit, and loop over the elements"),
)
RULE = "write it with operations that have adjoints, or give it a rule (chainrules.rrule)"


def rewrite_for(construct: str) -> str:
    """What to write instead; empty where nothing is known.

    >>> rewrite_for("`try`")
    'test what could raise with `if`, before it does'
    """
    for beginning, text in REWRITES:
        if construct.startswith(beginning):
            return text
    if re.fullmatch(r"the tangent of a call to .* is not inlined", construct):
        return "use a loop in place of a recursion"
    return RULE if re.match(r"a call (of|to) |the method ", construct) else ""
