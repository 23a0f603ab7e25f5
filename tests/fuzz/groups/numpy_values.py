"""NumPy's own kinds of values: its numbers and their methods, arrays of objects, subclasses of arrays."""

from ..grammar import Group, each_line, each_paragraph

NUMPY_NUMBERS = Group(
    "numpy numbers",
    setup="""
h = u.sum()
g = np.float64(s)
""",
    result="out += h * 0.3 + float(g)",
    shown=("float(h)", "float(g)"),
    scalars=each_line("""
h.flat[0]
np.float64($S).flat[0]
float(h.reshape(1, 1)[0, 0])
g.compress([True])[0]
np.int64($k - 1).choose([$S, $S, $S])
np.int64(0).choose((h, $S))
g.repeat(2)[1]
g.take(0)
g.clip(-0.5, 0.5)
g.clip(-0.5, abs($S))
h.max()
h.mean()
h.cumsum()[0]
g.ravel()[0]
g.flatten()[0]
g.squeeze()
g.copy()
g.item()
g.tolist()
g.astype(float)
g.conjugate().real
g.real
g.T
g.round(1)
g.prod()
g.dot($S)
g.transpose()
g.__mul__($S)
g.__rsub__($S)
g.__abs__()
g.__add__($A)[$i]
g[()]
g[...].sum()
g[None][0]
divmod(g, abs(h) + 2.0)[1]
np.float64(1.0).__rmul__($A)[$i]
"""),
    vectors=each_line("""
np.float64($S) * $A
g.repeat(4)
h.reshape(1).repeat(4)
g.__mul__($A)
np.int64(2).__mul__($A)
g.__rsub__($A)
"""),
    lines=each_line("""
g = np.float64($S)
h = $A.sum()
h = $A.max()
g = g.clip(-2.0, 2.0)
h += g
$V[$i] = h
a = float(g)
g = h.flat[0]
"""),
    conditions=("g.is_integer()", "h.any()", "g.__gt__($S)"),
)

OBJECT_ARRAYS = Group(
    "object arrays",
    setup="""
box = np.empty(4, object)
box[:] = [s, [s, 0.5], (s, 2.0), x * 1.0]
cells = np.array([s, 0.5, s * s, 1.5], dtype=object)
kept = [0.25]
""",
    result="""
out += cells.sum() * 0.3
for entry in box:
    out += sum(entry) * 0.1 if isinstance(entry, (list, tuple)) else np.sum(entry) * 0.2 if entry is not None else 0.0
""",
    shown=("cells.tolist()", "[type(v).__name__ for v in box]", "kept"),
    scalars=each_line("""
cells[$i]
cells.T[$i]
cells[::-1][$i]
cells.item($k)
cells.sum()
cells.prod()
(cells * $S)[$i]
(cells + $A)[$i]
(-cells)[$i]
cells.reshape(2, 2)[1, 0]
cells.tolist()[$i]
list(cells)[$i]
cells[[0, 2]][1]
cells.copy()[$i]
cells.flat[$k]
np.concatenate([cells, cells[:1]])[-1]
kept[0]
max(cells)
(box[$i][0] if isinstance(box[$i], (list, tuple)) else 0.5)
"""),
    vectors=each_line("""
cells.astype(float)
(cells * 2.0).astype(float)
np.array(cells.tolist())
"""),
    lines=each_line("""
cells[$i] = $S
cells[$i] *= 0.5
cells[:] = $A
cells[1:3] = [$S, $S]
cells[:2] = cells[2:]
cells[::-1] = cells * 0.5
cells.fill($S)
cells.flat[$k] = $S
cells += $S
cells *= 0.7
cells = cells[::-1]
cells = cells.copy()
cells = cells.reshape(2, 2).T.ravel()
np.put(cells, [0, 2], [$S, $S])
np.copyto(cells, $A)
box[$i] = $S
box[$i] = [$S, $S]
box[$i] = ($S, $S)
box[$i] = $A
box[$i] = None
box[$i] = kept
kept.append($S)
kept[0] = $S
box[0] = {'p': $S}.copy()['p']
box.fill(kept)
box = box[::-1]
box = box.copy()
box[[0, 1]] = box[[1, 0]]
cells[$i] = cells[$i]
"""),
    blocks=each_paragraph("""
for t$0 in cells:
    a = a * 0.5 + t$0
    $b

for entry$0 in box:
    if isinstance(entry$0, list):
        entry$0.append($S)

for i$0 in range(4):
    cells[i$0] = math.tanh($S)
    $b

box[1] = []
for i$0 in range(3):
    if isinstance(box[1], list):
        box[1].append($S)
"""),
)

SUBCLASSES = Group(
    "subclasses",
    module="""
class Seen(np.ndarray):
    pass

class Tagged(np.ndarray):
    def __array_finalize__(self, other):
        self.tag = getattr(other, 'tag', 1.0)
""",
    setup="""
sub = (x * 1.0).view(Seen)
tag = y.copy().view(Tagged)
tag.tag = s
""",
    result="out += float((sub * K).sum()) + float(np.asarray(tag)[1]) * tag.tag",
    shown=("sub.tolist()", "tag.tolist()", "type(sub).__name__", "type(tag).__name__"),
    scalars=each_line("""
float(sub[$i])
float(sub.sum())
float((sub * $S)[$i])
float(np.dot(sub, $A))
float(sub @ sub)
float(tag.mean())
float(np.asarray(tag)[$i])
float(tag[1:].tag)
float((tag * 2.0).tag)
float(sub[::-1][$i])
float(np.linalg.norm(sub))
float(np.sum(sub.flat))
float(np.dot($A.flat, tag.flat))
"""),
    vectors=each_line("""
np.asarray(sub * $A)
np.asarray(np.sin(sub))
np.asarray(sub[::-1])
np.asarray(-tag)
np.asarray($A - tag)
np.asarray(sub[[0, 1, 1, 3]])
"""),
    lines=each_line("""
sub[$i] = $S
sub[1:] = $A[1:]
sub *= $S
sub += $A
sub = sub * $S
sub = $A.view(Seen)
sub = sub[::-1]
sub = sub.copy()
sub = np.tanh(sub)
tag[$i] = $S
sub.flat = $A
sub.flat[$i] = $S
sub.real = $A
$V[:] = sub.flat
np.ndarray.__setitem__(tag, $i, $S)
tag = tag * 0.5
tag.tag = $S
tag = tag[::-1]
$V[:] = sub
$V += tag
"""),
    blocks=each_paragraph("""
for i$0 in range(4):
    sub[i$0] = sub[i$0 - 1] * 0.5 + $S
    $b
"""),
)
