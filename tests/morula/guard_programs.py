"""Programs whose static adjoints rely on something, and changes of which each breaks what they rely on.

A row is a program, its arguments, and statements that are run in its module, where `args` is the list of the arguments
and `patch` is pytest's.
"""

OWN_MODULE = "m = types.ModuleType('m')\nm.k, m.g = 2.0, math.sin\n"
CLASS = """
class Base:
    def m(self, x):
        return self.k * x
class P(Base):
    scale = 3.0
    def __init__(self, k):
        self.k = k
    @property
    def kk(self):
        return self.k * self.k
    @staticmethod
    def s(x):
        return x * x
p = P(2.0)
def is_p(x):
    return x if isinstance(p, P) else x * x
"""
SAME = "{k: v for k, v in vars(P).items() if k not in ('__dict__', '__weakref__')}"
NAMED = """
from collections import namedtuple
class N(namedtuple("N", "u v")):
    __slots__ = ()
    def m(self):
        return self.u * self.v
    @property
    def w(self):
        return self.u + self.v
"""
METHODS = """
class M:
    scale = 2.0
    def __init__(self, k):
        self.k = k
    @classmethod
    def at(cls, x):
        return x * cls.scale
    @property
    def size(self):
        return self.k * 3.0
    @property
    def half(self):
        return self.k * 0.5
    @half.setter
    def half(self, v):
        self.k = v * 2.0
    def m(self):
        return self.k * 0.7
class B(M):
    pass
class C(B):
    @property
    def size(self):
        return super().size * self.k
    def m(self):
        return super().m() * 3.0
class Q:
    def __init__(self, **parts):
        vars(self).update(parts)
    def __get__(self, o, t):
        return 5.0 if o is not None else lambda x: 5.0
    def __set__(self, o, v):
        pass
"""
ENUM = "class E(enum.Enum):\n    A = 1\n    B = 2\n"

PROGRAMS = {
    "a function that is called before it is read": (
        """
k = 1.5
def first(x):
    return x * 0.9
def second(x):
    return x * k
def f(x):
    act = first
    for i in range(300):
        x = act(x)
        act = first if x > 0.5 else second
    return x
""",
        "1.0",
        ["second = types.FunctionType(second.__code__, globals() | {'k': 1.2})"],
    ),
    "ends of a range": (
        "def f(x, n):\n    y = x\n    for i in range(n):\n        y = np.sum(x[: i + 1] * y[0]) * x\n    return y[0] * y[1]\n",
        "np.ones(9) * 0.7, 3",
        ["args[1] = 4", "args[1] = True"],
    ),
    "slice": (
        "S = slice(1, 3)\ndef f(x):\n    return np.sum(x[S] * x[0])\n",
        "np.arange(9.0)",
        ["S = slice(1, 4)", "S = 2"],
    ),
    "flag": (
        "def f(x, doubled):\n    if doubled:\n        x = np.concatenate([x, x])\n    y = x * x\n    return np.sum(y)\n",
        "np.ones(9), False",
        ["args[1] = True"],
    ),
    "keys of an enumeration": (
        ENUM + "D = {E.A: 2.0, ('p', 1): 3.0}\ndef f(x):\n    s = x\n    for k in D:\n        s = s * D[k] + x\n    return s\n",
        "3.0",
        ["D[E.B] = D.pop(E.A)", "D[('p', True)] = D.pop(('p', 1))", "D.clear()"],
    ),
    "whole default": (
        "def g(x, n=2):\n    return x ** n\ndef f(x):\n    return g(x) * x\n",
        "3.0",
        ["g.__defaults__ = (3,)"],
    ),
    "default": (
        "def g(x, w=[1.0, 2.0], most=math.inf):\n    return min(x * w[0] + w[1], most)\ndef f(x):\n    return g(x) * x\n",
        "3.0",
        ["g.__defaults__[0][0] = 5.0", "g.__defaults__[0].append(5.0)", "g.__defaults__ = ([1.0, 2.0], 1.0)"],
    ),
    "shape of a variable": (
        "def f(x):\n    grid = x\n    for _ in range(2):\n        new = grid.copy()\n        new[1, 2] = grid[0, 1] * 2.0\n"
        "        grid = new\n    return grid.mean() * grid[0, 0]\n",
        "np.ones((2, 3))",
        ["args[0] = np.full((2, 4), 2.0)", "args[0] = np.lib.stride_tricks.as_strided(np.ones(4), (2, 3), (8, 8))"],
    ),
    "pattern": (
        "class Q:\n    __match_args__ = ('a', 'b')\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n"
        "def f(x):\n    match Q(x, 2.0):\n        case 'k' | 3.0:\n            return x\n        case Q(u, v):\n            return u * u * v\n",
        "3.0",
        ["Q.__match_args__ = ('b', 'a')", "Q.__eq__ = lambda self, other: True"],
    ),
    "log": (
        "import logging\nclass Handler(logging.Handler):\n    def emit(self, record):\n        raise ValueError\n"
        "LOG = logging.getLogger('guards of a log')\nLOG.setLevel(30)\nLOG.addHandler(Handler())\n"
        "def f(x):\n    LOG.info('at %s', x)\n    return x * x\n",
        "3.0",
        ["LOG.setLevel(logging.INFO)", "LOG.info = lambda *args: 1 / 0"],
    ),
    "what a module has": (
        OWN_MODULE + "def f(x):\n    y = x * getattr(m, 'missing', 2.0)\n    return y * m.g(x) if hasattr(m, 'g') else y\n",
        "3.0",
        ["del m.g", "m.missing = 3.0"],
    ),
    "generator that others draw from": (
        "import random\nrandom.seed(4)\ndraw = random.gauss\n"
        "def f(x):\n    random.seed(4)\n    return x * random.gauss(0.0, 1.0) + x * x * draw(0.0, 1.0)\n",
        "3.0",
        ["draw = random.Random(5).gauss", "patch.setattr(random, 'gauss', random.uniform)", "draw = lambda m, s: 9.0"],
    ),
    "operator of a named tuple": (
        NAMED.replace("def m(self)", "def __add__(self, other):\n        return self.u + other.v\n    def m(self)")
        + "class M(N):\n    __slots__ = ()\ndef f(x):\n    return (M(x, 2.0) + M(x, x)) * x\n",
        "3.0",
        ["M.__add__ = lambda self, other: self.u", "N.__add__ = lambda self, other: self.u",
         "M.v = property(lambda self: 7.0)", "N.v = property(lambda self: 7.0)",
         "M.__mro__[2].v = property(lambda self: 7.0)"],
    ),
    "named tuple from outside": (
        NAMED + "k = N(2.0, 3.0)\ndef f(x):\n    return k.u * x + k.v * x * x + k.m()\n",
        "3.0",
        ["k = namedtuple('N', 'v u')(2.0, 3.0)", "k = type('M', (N,), {'m': lambda self: 7.0})(2.0, 3.0)",
         "k = N(2.5, 3.0)", "k = N(2, 3.0)"],
    ),
    "base of a class inside": (
        "class B:\n    def m(self, x):\n        return x * 2.0\n"
        "def f(x):\n    class A(B):\n        pass\n    return A().m(x) * x\n",
        "3.0",
        ["B.__init_subclass__ = classmethod(lambda cls: setattr(cls, 'm', lambda self, x: x * 5.0))",
         "B.m = lambda self, x: x * 5.0"],
    ),
    "annotation inside": (
        "Kind = float\ndef f(x):\n    class A:\n        u: Kind\n        def __init__(self, x):\n            self.u = x\n"
        "    return A(x).u * x\n",
        "3.0",
        ["del Kind"],
    ),
    "concatenation": (
        "def f(x):\n    return np.sum(np.r_[x, 1.0, 2.0, x, x, x, x, x] ** 2)\n",
        "3.0",
        ["patch.setattr(np, 'r_', np.s_)"],
    ),
    "builtin": ("def f(x):\n    return abs(x) * x\n", "-3.0", ["abs = lambda x: 7.0", "patch.setattr(builtins, 'abs', lambda x: 7.0)"]),
    "function": (
        "def g(x):\n    return x * x\ndef f(x):\n    return g(x) * x\n",
        "3.0",
        ["g = lambda x: x", "g.__code__ = (lambda x: 4 * x).__code__"],
    ),
    "module": (
        OWN_MODULE + "def f(x):\n    return m.g(x) * m.k\n",
        "3.0",
        ["m = types.SimpleNamespace(g=math.cos, k=5.0)", "m.g = math.cos", "m.k = 7.0", "m.k = np.float64(7.0)",
         "m.__class__ = type('M', (types.ModuleType,), {'k': property(lambda self: 5.0)})"],
    ),
    "tuple": (
        "K = (1.0, 2.0)\ndef f(x):\n    return x * K[0] + K[1] * x * x\n",
        "3.0",
        ["K = (3.0, 4.0)", "K = [5.0, 6.0]"],
    ),
    "text": (
        "K, L = 'a', None\ndef f(x):\n    if K == 'a' and L is None:\n        return x * x\n    return x\n",
        "3.0",
        ["K = 'b'", "L = 2.0"],
    ),
    "number": ("K = 2.0\ndef f(x):\n    return x * K\n", "3.0", ["K = 3.0", "K = True", "K = F(2.0)"]),
    "tuple of texts": (
        "K = ('a', 2.0)\ndef f(x):\n    return x * K[1] if K[0] == 'a' else x\n",
        "3.0",
        ["K = ('b', 2.0)", "K = ('a', 3.0)"],
    ),
    "list twice": (
        "L = [float(i) for i in range(60)]\nM = L\ndef f(x):\n    s = 0.0\n    for i in range(60):\n"
        "        s += x * L[i] * M[i]\n    return s\n",
        "3.0",
        ["M = [2.0 * v for v in L]", "L[7] = F(7.0)", "L.append(1.0)", "L = M = (1.0,) * 60"],
    ),
    "short list": (
        "L = [1.0, 2.0]\ndef f(x):\n    s = 0.0\n    for v in L:\n        s += v * x\n    return s\n",
        "3.0",
        ["L.append(3.0)", "L = (5.0, 6.0)", "class Q(list):\n    __iter__ = lambda self: iter([9.0])\nL = Q(L)"],
    ),
    "dict": (
        "D = {'a': 1.0, 'b': 2.0}\ndef f(x):\n    s = D['a'] * x\n    for k, v in D.items():\n        s += v * x\n    return s\n",
        "3.0",
        ["D['c'] = 3.0", "class Q(dict):\n    __getitem__ = lambda self, k: 9.0\nD = Q(D)", "del D['b']", "D['a'] = 7"],
    ),
    "integer keys": (
        "D = {1: 1.0, 2: 2.0}\ndef f(x):\n    s = 0.0\n    for k, v in D.items():\n        s += v * x * k\n    return s\n",
        "3.0",
        ["D = {1.5: 1.0, 2: 2.0}", "D = {True: 1.0, 2: 2.0}", "D[3] = 1.0"],
    ),
    "object": (
        CLASS + "def f(x):\n    return p.m(x) * p.kk + p.s(x) * p.scale + is_p(x)\n",
        "3.0",
        ["p.__class__ = type('R', (P,), {'kk': 5.0})", f"p.__class__ = type('R', (Base,), {SAME})",
         f"P = type('R', (Base,), {SAME})", "class Q:\n    m = Base.m\nP.__bases__ = (Q,)",
         "P.kk = types.SimpleNamespace(fget=P.__dict__['kk'].fget)", "P.kk = property(lambda self: 5.0)", "P.kk = 4.0",
         "P.m = lambda self, x: x", "Base.m = lambda self, x: x", "p.m = lambda x: x", "p.s = lambda x: x",
         "P.s = staticmethod(lambda x: x)", "P.s = lambda self, x: x", "p.scale = 5.0", "P.scale = 7.0", "Base.scale = 1.0",
         "P.__getattribute__ = lambda self, name: 5.0 if name == 'scale' else object.__getattribute__(self, name)",
         "P.__getattr__ = lambda self, name: 5.0", "p.k = 5.0", "P.k = property(lambda self: 8.0)", "p = P(4.0)",
         "class Base2:\n    def m(self, x):\n        return x\nP.__bases__ = (Base2,)",
         "class Q(Base):\n    def m(self, x):\n        return x\nP.__bases__ = (Q,)",
         "isinstance = lambda a, b: False", "P.s = property(lambda self: abs)", "P.m = property(lambda self: abs)", "P.scale = property(lambda self: 8.0)"],
    ),
    "two objects": (
        CLASS + "q = P(3.0)\nr = q\nT = (p, 2.0)\ndef f(x):\n    return p.m(x) * q.m(x) * r.k + h(T) * x + is_p(x)\n"
        "def h(t):\n    a, b = t\n    return a.k * b * isinstance(q, P)\n",
        "3.0",
        ["q = p", "r = P(1.0)", f"q.__class__ = type('R', (Base,), {SAME})", "r = p", "q.__class__ = type('R', (P,), {'m': lambda self, x: x})",
         "T = (q, 2.0)", "T = (p, 4.0, 1.0)", "T = [p, 4.0]", "T = (p, 4.0)"],
    ),
    "class": (
        CLASS + "def f(x):\n    p = P(x)\n    return p.m(x) * isinstance(p, Base)\n",
        "3.0",
        ["P = type('R', (), {'__init__': P.__init__, 'm': lambda self, x: x})", "P.__init__ = Base.m",
         "P.__new__ = lambda cls, k: 5.0", "P.m = lambda self, x: x", "P.k = property(lambda self: 8.0, lambda self, v: None)",
         "P.__setattr__ = lambda self, name, v: object.__setattr__(self, name, 2 * v)",
         "class Q:\n    m = Base.m\nP.__bases__ = (Q,)", f"P = type('R', (object,), {SAME} | {{'m': Base.m}})"],
    ),
    "super": (
        CLASS + "class R(P):\n    def m(self, x):\n        return super().m(x) * 2.0\nr = R(2.0)\ndef f(x):\n    return r.m(x)\n",
        "3.0",
        ["class B2(Base):\n    def m(self, x):\n        return x\nP.__bases__ = (B2,)",
         "R.m.__closure__[0].cell_contents = type('S', (), {})", "P.m = lambda self, x: x",
         "R.m.__closure__[0].cell_contents = P"],
    ),
    "slots": (
        "class S:\n    __slots__ = ('k', 'j')\ns = S()\ns.k, s.j = 2.0, 3.0\ndef f(x):\n    return s.k * x\n",
        "3.0",
        ["s.k = 3.0", "S.k = property(lambda self: 7.0)", "S.k = S.j"],
    ),
    "slots of its own": (
        "class S:\n    __slots__ = ('k', 'j')\ndef f(x):\n    s = S()\n    s.k, s.j = x, 2.0\n    return s.k * s.j\n",
        "3.0",
        ["S.k = S.j", "S.k = property(lambda self: 7.0, lambda self, v: None)"],
    ),
    "attribute of class and object": (
        "class C:\n    k = 1.0\ndef f(x):\n    c = C()\n    c.k = x\n    return c.k * x\n",
        "3.0",
        ["C.k = property(lambda self: 7.0, lambda self, v: None)", "C.k = 4.0"],
    ),
    "attributes": (
        "class O:\n    def __init__(self, k, j):\n        self.k, self.j = k, j\no = O(2.0, 3.0)\n"
        "def f(x):\n    q = o\n    for i in range(40):\n        q = O(q.k * x, q.j)\n    return q.k * q.j\n",
        "3.0",
        ["o.l = 5.0", "del o.j", "o.j = 4.0"],
    ),
    "array under two names": (
        "def f(x, c):\n    y = x\n    y[0] = c\n    return np.mean(x * x) * c\n",
        "np.arange(12.0), 3.0",
        ["args[0] = np.arange(11.0)", "args[0] = np.ones((12, 2))", "args[0] = np.ones(1)"],
    ),
    "known number": (
        "def f(x):\n    return (x * np.linspace(0.0, 2 * np.pi, 4)).sum()\n",
        "3.0",
        ["patch.setattr(np, 'pi', 2.0)", "patch.setattr(np, 'pi', 3)", "patch.setattr(np, 'pi', np.zeros(3))"],
    ),
    "setter": (
        "class O:\n    def __init__(self):\n        self.k = 2.0\n    @property\n    def v(self):\n        return self.k\n"
        "    @v.setter\n    def v(self, x):\n        self.k = 2 * x\ndef f(x):\n    o = O()\n    o.v = x\n    return o.v * x\n",
        "3.0",
        ["O.v = types.SimpleNamespace(fget=O.v.fget, fset=O.v.fset)", "O.v = 5.0", "O.v = property(lambda self: self.k, lambda self, x: None)", "del O.v"],
    ),
    "named tuple": (
        NAMED + "n = N(2.0, 3.0)\ndef f(x):\n    n = N(x, 2.0)\n    return n.m() * n.w + n.u\n",
        "3.0",
        ["N.m = lambda self: 1.0", "N.w = 5.0", "N.v = 4.0", "N.w = types.SimpleNamespace(fget=N.w.fget)", "N.w = property(lambda self: 2.0)", "N.u = 4.0", "N.__mro__[1].u = 4.0",
         "N.__mro__[1].m = lambda self: 1.0", "N.__new__ = lambda cls, u, v: tuple.__new__(cls, (v, u))",
         "N = namedtuple('N', 'v u m w')"],
    ),
    "enumeration": (
        ENUM + "K = E.A\ndef f(x):\n    return x * x if K is E.A else x\n",
        "3.0",
        ["E._member_map_['A'] = E.B\ntype.__setattr__(E, 'A', E.B)", "K = E.B", "class E(enum.Enum):\n    B = 1\n    A = 2", "E = types.SimpleNamespace(A=1)"],
    ),
    "defaults": (
        "def g(x, k=2.0, *, j=3.0, n=2, w=None):\n    return k * x + j * x ** n if w is None else x\n"
        "def f(x, m=2, t='a'):\n    return g(x) * m if t == 'a' else x\n",
        "3.0",
        ["g.__defaults__ = (5.0,)", "g.__kwdefaults__ = {'j': 1.0, 'n': 2, 'w': None}",
         "g.__kwdefaults__['n'] = 3", "g.__kwdefaults__['n'] = 2.0", "g.__kwdefaults__['w'] = 4", "f.__defaults__ = (3, 'a')",
         "f.__defaults__ = (2, 'b')", "f.__defaults__ = (5, 2, 'a')", "f.__defaults__ = (2, 'a', 'c')"],
    ),
    "closure": (
        "def outer(k):\n    def f(x):\n        return k * x\n    return f\nf = outer(2.0)\n",
        "3.0",
        ["f.__closure__[0].cell_contents = 5.0", "f.__closure__[0].cell_contents = np.float32(1.1)"],
    ),
    "array": (
        "def f(a, x):\n    s = 0.0\n    for i in range(len(a)):\n        s += a[i] * x\n    return s\n",
        "np.array([1.0, 2.0]), 3.0",
        ["args[0] = np.array([1.0, 2.0, 3.0])", "args[0] = np.array([[1.0, 2.0]])", "args[0] = np.float32([1.1, 2.0])",
         "args[0] = [1.0, 2.0]", "args[1] = np.float32(1.1)", "args[1] = 3", "args[0] = np.ma.array([1.0, 2.0], mask=[1, 0])",
         "args[0] = np.lib.stride_tricks.as_strided(np.array([2.0]), (2,), (0,))", "args[1] = 3 + 0j", "args[1] = F(3.0)",
         "args[0] = np.array([1, 2])", "args[0] = np.zeros(30_000)"],
    ),
    "matrix": (
        "A = np.array([[1.0, 2.0], [3.0, 4.0]])\ndef f(v):\n    return (A @ v).sum()\n",
        "np.array([1.0, 2.0])",
        ["A = np.eye(3)[:2, :2]", "A = np.ones((3, 2))", "A = np.matrix(A)", "A = np.float32(A) * 1.1", "A = A[0]",
         "A = A + 1j", "args[0] = np.ones((2, 1))", "args[0] = np.lib.stride_tricks.as_strided(np.array([2.0]), (2,), (0,))"],
    ),
    "written": (
        "def f(a, b):\n    a[0] = b[1] * b[1]\n    return a[0] * b[0] + a[1]\n",
        "np.array([1.0, 2.0]), np.array([3.0, 4.0])",
        ["args[1] = args[0]", "args[1] = args[0][::-1]", "args[0].flags.writeable = False",
         "args[0] = np.lib.stride_tricks.as_strided(np.array([2.0]), (2,), (0,))"],
    ),
    "matrix with repeated memory": (
        "def f(a, v):\n    return (a @ v).sum()\n",
        "np.eye(2), np.ones(2)",
        ["args[0] = np.lib.stride_tricks.as_strided(np.arange(4.0), (2, 2), (8, 8))", "args[0] = np.eye(4)[::2, ::2]"],
    ),
    "written beside a global": (
        "A = np.array([3.0, 4.0])\ndef f(a):\n    a[0] = A[1] * a[0]\n    return a[0] * A[0] + a[1]\n",
        "np.array([1.0, 2.0])",
        ["args[0] = A", "A = args[0]"],
    ),
    "list of numbers": (
        "def f(l, x):\n    s = 0.0\n    for v in l:\n        s += v * x\n    return s\n",
        "[float(i) for i in range(60)], 3.0",
        ["args[0][7] = np.float32(1.1)", "args[0][7] = 3", "args[0] = tuple(args[0])", "args[0].append(1.0)",
         "class Q(list):\n    __iter__ = lambda self: iter([9.0])\nargs[0] = Q(args[0])", "args[0][7] = True"],
    ),
    "list of rows": (
        "def f(l, x):\n    s = 0.0\n    for a, b in l:\n        s += a * b * x\n    return s\n",
        "[[1.0 + i, 2.0 + i] for i in range(60)], 3.0",
        ["args[0][7] = args[0][8]", "args[0][7][0] = np.float32(1.1)", "args[0][7] = tuple(args[0][7])",
         "args[0][7].append(1.0)"],
    ),
    "structure": (
        "def f(d, l):\n    return d['a'] * l[0] + l[1][0] * d['a']\n",
        "{'a': 1.0}, [2.0, [3.0]]",
        ["args[0]['a'] = np.float32(1.1)", "args[1].append(3.0)", "args[1][1] = [4.0, 5.0]", "args[1][1] = [F(2.0)]", "args[1] = [2.0, (3.0,)]",
         "args[0]['b'] = 2.0"],
    ),
    "two structures": (
        "def f(d, e):\n    d['b'] = e['a'] * 2.0\n    return d['a'] * e['b'] * d['b']\n",
        "{'a': 1.0, 'b': 3.0}, {'a': 2.0, 'b': 5.0}",
        ["args[0] = args[1]"],
    ),
    "sizes": (
        "A = np.array([1.0, 2.0, 4.0])\nn = 3\ndef f(a, x):\n    t = np.linspace(0.0, x, n)\n"
        "    return (np.zeros(len(a)) + t * a * A).sum() * math.pi + np.full(n, math.pi)[0] * x\n",
        "np.array([1.0, 2.0, 3.0]), 2.0",
        ["n = 1", "A = np.ones(1)", "args[0] = np.ones(1)", "n = np.int64(3)"],
    ),
    "argument of what is read": (
        CLASS + "q = P(3.0)\ndef f(o, x):\n    return o.k * x + p.k\n",
        "q, 3.0",
        ["args[0] = p", "args[0].other = p", "args[0].other = [p]", "p = q", "q.k = p"],
    ),
    "globals of a method": (
        CLASS + "other = module_of('k = 2.0\\nclass Q:\\n    def m(self, x):\\n        return k * x + p.k\\n', 'q', p=p)\n"
        "o = other.Q()\ndef f(x):\n    return p.k * o.m(x)\n",
        "3.0",
        ["p = P(7.0)", "other.p = P(7.0)", "other.k = 5.0"],
    ),
    "distribution": (
        "from scipy import stats\nnorm = stats.norm\nn = stats.norm(1.0, 2.0)\n"
        "def f(x):\n    return norm.logpdf(x) + n.logpdf(x) + stats.norm.logpdf(x)\n",
        "3.0",
        ["norm = stats.cauchy", "n = stats.cauchy(1.0, 2.0)", "n = stats.norm(1.0)", "n = stats.norm(loc=1.0, scale=2.0)",
         "n = stats.norm(1.0, 3.0)", "norm = type(norm)(name='n')", "n = stats.gamma(2.0)",
         "n.kwds['scale'] = 5.0", "patch.setattr(type(norm), 'logpdf', lambda self, x, *args: 5.0 * x)",
         "n.args = (1.0, 2.0, 3.0)",
         "class R(type(n)):\n    logpdf = lambda self, x: 5.0 * x\nn = R(stats.norm, 1.0, 2.0)"],
    ),
    "function of elements": (
        "def g(x):\n    return x * x\nv = np.vectorize(g)\ndef f(x):\n    return np.sum(v(x))\n",
        "np.array([0.5, 3.0])",
        ["v = np.vectorize(lambda x: 3.0 * x)", "v = np.vectorize(g, otypes=[int])", "v = np.cos"],
    ),
    "object of a library": (
        "from scipy import sparse\na = sparse.csr_array(np.eye(2))\ndef f(x):\n    return (a @ x) @ x\n",
        "np.array([1.0, 2.0])",
        ["class R(type(a)):\n    __matmul__ = lambda self, x: 5.0 * x\na = R(np.eye(2))",
         "patch.setattr(type(a), '__matmul__', lambda self, x: 5.0 * x)", "a.data = 3.0 * a.data"],
    ),
    "function that is given": (
        "from scipy import integrate, optimize\nk, w = 2.0, np.array([1.0, 2.0])\nclass C:\n    pass\n"
        "def h(t, n=2):\n    return t ** n * k\ndef whole(t):\n    return h(t) * math.sin(t)\n"
        "def f(x):\n    one = integrate.quad(lambda t: h(t) * x + w[0], 0, 1)[0]\n"
        "    return one + integrate.quad(whole, 0, 1)[0] * x\n",
        "3.0",
        ["h = lambda t: 5.0 * t", "h.__defaults__ = (3,)", "whole = lambda t: 5.0 * t", "k = 3.0", "k = C", "w[0] = 5.0",
         "w = [4.0, 5.0]", "def whole(t):\n    global k\n    k = k + 1\n    return t", "math = module_of('sin = abs', 'm')",
         "patch.setattr(integrate, 'quad', lambda f, a, b: (5.0 * f(a), 1.0))", "patch.setattr(math, 'sin', lambda t: 5.0 * t)"],
    ),
    "method that is given": (
        "from scipy import integrate\n" + CLASS + "class Q(P):\n    def g(self, t):\n        return self.m(t) * self.scale\n"
        "q, r = Q(2.0), Q(5.0)\ndef f(x):\n    o, u = Q(x), q\n"
        "    return integrate.quad(o.g, 0, 1)[0] + integrate.quad(lambda t: u.g(t) * x, 0, 1)[0]\n",
        "3.0",
        ["q = r", "q.k = 7.0", "q.g = lambda t: 5.0", "q.scale = 5.0", "Q.scale = 5.0", "Q.g = lambda self, t: 5.0 * t",
         "P.m = lambda self, t: 5.0 * t", "Q.m = lambda self, t: 5.0 * t", "Base.m = lambda self, t: 5.0 * t",
         "Q.__init__ = lambda self, k: setattr(self, 'k', 5.0 * k)", "Q = P", "Q.k = property(lambda self: 5.0)"],
    ),
    "replaced object": (
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    k: float\n    c: float = 0.5\n"
        "def f(x):\n    p = P(2.0, x)\n    q = dataclasses.replace(p, k=x)\n    return q.k * q.c\n",
        "3.0",
        ["P.__dataclass_fields__.pop('c')", "P.__init__ = lambda self, k, c: vars(self).update(k=5.0, c=c)"],
    ),
    "container at computed places": (
        "T = {0: [(0.5, 1)], 1: [(0.2, 0), (1.0, 1)]}\nU = T\ndef f(x):\n    s, i = 0.0, 0\n    while i * x < 30.0:\n"
        "        for p, n in T[i % 2]:\n            s = s * 0.5 + p * x\n        i += 1\n        s += U[i % 2][0][0] * x\n"
        "    return s\n",
        "3.0",
        ["T[0] = [(F(0.5), 1)]", "U = {0: [(9.0, 1)], 1: [(0.2, 0)]}", "T[0] = [(7.0, 1), (2.0, 0)]", "T[1] = ((3.0, 1),)"],
    ),
    "dict that is in a container": (
        "T, D = {0: {'a': 0.5}, 1: {'a': 2.0}}, {'a': 1.0}\ndef f(x):\n    s, i = 0.0, 0\n    while i * x < 30.0:\n"
        "        D['a'] = 1.0 + i\n        s += T[i % 2]['a'] * x\n        i += 1\n    return s * D['a']\n",
        "3.0",
        ["D = T[0]", "T[1] = D"],
    ),
    "members": (
        "S = enum.Enum('S', {'A': 1, 'B': 2})\ndef f(x):\n    s = x\n    for m in S:\n        s = s * 0.5 + x * m.value\n"
        "    return s\n",
        "3.0",
        ["S._member_names_.pop()", "S._member_names_.reverse()", "S = enum.Enum('S', {'A': 1, 'B': 5})"],
    ),
    "kept attribute": (
        "import functools\nclass C:\n    def __init__(self, r):\n        self.r = r\n    @functools.cached_property\n"
        "    def area(self):\n        return self.r ** 2\ndef f(x):\n    c = C(x)\n    return c.area * x\n",
        "3.0",
        ["C.area = functools.cached_property(lambda self: 5.0 * self.r)", "C.area = property(lambda self: 5.0 * self.r)",
         "class Q:\n    attrname = 'area'\n    func = vars(C)['area'].func\n    __get__ = lambda self, o, t: 5.0\nC.area = Q()"],
    ),
    "object as a dict": (
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    k: float\n    c: float = 0.5\n"
        "def f(x):\n    d = dataclasses.asdict(P(2.0, x))\n    return d['k'] * x * len(d)\n",
        "3.0",
        ["P.__dataclass_fields__.pop('c')"],
    ),
    "class method": (
        METHODS + "def f(x):\n    return M.at(x) * C.at(x) * x\n",
        "3.0",
        ["M.at = Q(__func__=vars(M)['at'].__func__)", "M.scale = 4.0"],
    ),
    "class method of an object": (
        METHODS + "m = M(2.0)\ndef f(x):\n    return m.at(x) * x\n",
        "3.0",
        ["m.at = lambda x: 5.0 * x", "m = C(2.0)\nM.scale = 4.0"],
    ),
    "property above": (
        METHODS + "def f(x):\n    return C(x).size * x\n",
        "3.0",
        ["M.size = Q(fget=vars(M)['size'].fget)", "M.size = property(lambda self: 5.0)"],
    ),
    "name of a class": (
        METHODS + "def f(x):\n    return len(type(C(x)).__name__) * x * x\n",
        "3.0",
        ["C.__name__ = 'Longer'"],
    ),
    "members of what is in containers": (
        METHODS + "def f(x):\n    made, s = [], 0.0\n    for i in range(3):\n        made.append(C(x * i))\n"
        "    made.sort(key=lambda c: -c.k)\n    for c in made:\n        c.half = c.half + 1.0\n        s += c.m() * x\n    return s\n",
        "3.0",
        ["M.half = Q(fget=vars(M)['half'].fget, fset=vars(M)['half'].fset)", "B.m = lambda self: 7.0",
         "M.m = lambda self: 5.0"],
    ),
    "bases of what is raised": (
        "class A(Exception):\n    pass\nclass C(Exception):\n    pass\nclass B(A):\n    pass\nclass T:\n"
        "    def __init__(self, u):\n        self.u = u\n    def take(self):\n        self.u += 1.0\n"
        "        if self.u > 0.5:\n            raise B\n"
        "def f(x):\n    t = T(x)\n    try:\n        t.take()\n    except A:\n        return t.u * x\n"
        "    except Exception:\n        return 5.0 * x\n    return x\n",
        "3.0",
        ["B.__bases__ = (C,)"],
    ),
    "what is registered with an abstract class": (
        "import abc\nclass A(abc.ABC):\n    pass\n"
        "def f(x):\n    return x * x if isinstance('text', A) or isinstance([x], A) else x\n",
        "3.0",
        ["A.register(str)", "A.register(list)"],
    ),
}  # fmt: skip
