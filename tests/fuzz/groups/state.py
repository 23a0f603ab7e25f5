"""State that outlives a call: arguments with parts, and globals."""

from ..grammar import Group, each_line

ARGUMENTS = Group(
    "arguments",
    module="""
class Model:
    def __init__(self, t, r, part=None):
        self.t, self.r, self.part = t, r, part

    def __call__(self, t):
        return math.tanh(self.t * t + self.r[0])
""",
    parameters=(
        ("data", "[$n, np.array([$n, $n, $n, $n]), [$n, $n]]"),
        ("cfg", "{'k': $n, 'r': np.array([$n, $n, $n, $n]), 'n': 3, 'name': 'cfg'}"),
        ("model", "Model($n, np.array([$n, $n, $n, $n]), Model($n, np.array([$n, $n])))"),
        ("pair", "($n, np.array([$n, $n, $n, $n]))"),
        ("mat", "np.array([[$n, $n], [$n, $n]])"),
    ),
    result="""
out += data[0] + (data[1] * K).sum() + sum(data[2]) + cfg['k'] + cfg['r'][1] * cfg['n']
out += model.t + (model.r * K).sum() + model.part.r[1] * model.part.t + pair[0] * pair[1].sum() + (mat @ mat)[0, 1]
""",
    shown=("data", "cfg", "model.t", "model.r", "model.part.r", "pair", "mat.tolist()"),
    scalars=each_line("""
data[0]
data[2][0]
data[2][-1]
sum(data[2])
cfg['k']
cfg['n'] * $S
model.t
model($S)
model.part.t
pair[0]
mat[0, 1]
mat.T[0] @ mat[1]
len(data) * $S
"""),
    vectors=("data[1]", "cfg['r']", "model.r", "pair[1]", "mat.ravel()", "mat.T.ravel()"),
    lines=each_line("""
data[0] = $S
data[0] *= $S
data[1][$i] = $S
data[1] = $V
data[1] += np.sin($A)
data[2].append($S)
data[2][0] = $S
data[2] = data[2][::-1]
data.append($S)
data.insert(1, data.pop(1))
$X = data[2].pop() if len(data[2]) > 1 else $S
cfg['k'] = $S
cfg['k'] += $S
cfg['r'] = $V
cfg['r'][$i] *= $S
cfg['new'] = $S
cfg.update(k=$S)
$X = cfg.pop('new', $S)
model.t = $S
model.t += $S
model.r = $V
model.r[$i] = $S
model.r *= $S
model.part.t = model.t
model.part.r[0] = $S
model.part, other = Model($S, $V), model.part
model.extra = $S
pair[1][$i] = $S
pair = (pair[1][0], pair[1])
mat[0] = mat[1]
mat[:, 0] *= $S
mat = mat @ mat
mat += mat.T
mat[...] = mat.T
u = data[1]
v = model.r
w = cfg['r'] * 1.0
a, u = pair
x = $A * 1.0
"""),
)

GLOBALS = Group(
    "globals",
    module="""
MEMO = {}
STATE = [0.5, 0.25]
COUNT = 0
BUFFER = np.zeros(4)


def remembered(k, t):
    if k not in MEMO:
        MEMO[k] = math.sin(t)
    return MEMO[k]


def counted():
    global COUNT
    COUNT += 1
    return COUNT


def helper(t, r, k=2):
    r[k] = t
    return t * r[0]
""",
    result="out += STATE[0] * STATE[-1] + (BUFFER * K).sum() + sum(MEMO.values())",
    scalars=(
        "STATE[0]",
        "BUFFER[$i]",
        "remembered($k, $S)",
        "counted() * $S",
        "math.sin($S * counted())",
        "helper($S, $V)",
        "helper($S, $V, k=1)",
    ),
    vectors=("BUFFER",),
    lines=each_line("""
STATE[0] = $S
STATE[1] += $S
STATE.append($S)
BUFFER[$i] = $S
BUFFER[:] = $A
BUFFER[1:] += $S
MEMO[$k] = $S
MEMO.clear()
$X = remembered($k, $S)
$X = helper($S, $V) * 0.5
counted()
Box.shared = 0.5
"""),
)

GLOBAL_WRITES = Group(
    "global writes",
    module="""
TOTAL = 0.5


def accumulate(t):
    global TOTAL
    TOTAL = TOTAL * 0.5 + t
    return TOTAL


def again():
    global TOTAL, LATER
    LATER = TOTAL
    TOTAL = LATER * 2.0
""",
    result="out += TOTAL",
    scalars=("TOTAL", "accumulate($S)", "globals()['TOTAL']"),
    lines=each_line("""
$X = accumulate($S)
accumulate($S)
again()
Box.shared = $S
"""),
)
