"""What Numba freezes when it compiles: the gradient is that of what was compiled, or there is an error."""

import importlib
import itertools
import subprocess
import sys
import textwrap
import warnings
from types import ModuleType

import numba
import numpy as np
import pytest
from numba import types
from numba.extending import intrinsic, overload, overload_attribute, overload_method, register_jitable
from numba.typed import Dict, List

import morula
from morula.static.numba import compiled_in
from morula.static.tiers.fallback import forget_told

CHANGED = pytest.raises(morula.NotDifferentiable, match="no longer matches its Python function")

COUNT = itertools.count()
SOURCES = {
    "number": ("K = 2.0\n@njit\ndef f(x): return K * x", "K = 5.0"),
    "integer": ("K = 2\n@njit\ndef f(x): return K * x", "K = 5"),
    "sign of zero": ("K = 0.0\n@njit\ndef f(x): return math.copysign(x, K)", "K = -0.0"),
    "flag": ("K = True\n@njit\ndef f(x): return 2.0 * x if K else 5.0 * x", "K = False"),
    "tuple": ("K = (2.0, 3.0)\n@njit\ndef f(x): return K[0] * x", "K = (5.0, 3.0)"),
    "array in place": ("K = np.array([1.0, 1.0])\n@njit\ndef f(x): return (K * x).sum()", "K[0] = 4.0"),
    "one element": ("K = np.array([2.0, 1.0])\n@njit\ndef f(x): return K[0] * x", "K[0] = 5.0"),
    "array rebound": ("K = np.array([1.0, 1.0])\n@njit\ndef f(x): return (K * x).sum()", "K = np.array([1.0, 4.0])"),
    "cell": (
        "def make():\n    k = 2.0\n    @njit\n    def f(x): return k * x\n    def change():\n        nonlocal k\n"
        "        k = 5.0\n    return f, change\nf, change = make()",
        "change()",
    ),
    "captured array": (
        "def make(k):\n    @njit\n    def f(x): return k[0] * x\n    return f\nk = np.array([2.0])\nf = make(k)",
        "k[0] = 5.0",
    ),
    "constant of a callee": ("K = 2.0\n@njit\ndef g(x): return K * x\n@njit\ndef f(x): return g(x)", "K = 5.0"),
    "array of a callee": (
        "K = np.array([2.0])\n@njit\ndef g(x): return K[0] * x\n@njit\ndef f(x): return g(x)",
        "K[0] = 5.0",
    ),
    "callee rebound": (
        "@njit\ndef g(x): return 2.0 * x\n@njit\ndef h(x): return 5.0 * x\n@njit\ndef f(x): return g(x)",
        "g = h",
    ),
    "callee compiled anew": (
        "K = 2.0\n@njit\ndef g(x): return K * x\n@njit\ndef f(x): return g(x)",
        "K = 5.0\ng.recompile()",
    ),
    "inlined callee": (
        "K = 2.0\n@njit(inline='always')\ndef g(x): return K * x\n@njit\ndef f(x): return g(x)",
        "K = 5.0",
    ),
    "recursive callee": (
        "K = 2.0\n@njit\ndef g(x, n):\n    if n == 0:\n        return x * K\n    return g(x, n - 1)\n"
        "@njit\ndef f(x): return g(x, 2)",
        "K = 5.0",
    ),
    "jitable": ("K = 2.0\n@register_jitable\ndef g(x): return K * x\n@njit\ndef f(x): return g(x)", "K = 5.0"),
    "attribute of a module": (
        "conf = ModuleType('conf')\nconf.K = 2.0\n@njit\ndef f(x): return conf.K * x",
        "conf.K = 5.0",
    ),
    "function of a module": (
        "conf = ModuleType('conf')\n@njit\ndef g(x): return 2.0 * x\n@njit\ndef h(x): return 5.0 * x\nconf.g = g\n"
        "@njit\ndef f(x): return conf.g(x)",
        "conf.g = h",
    ),
    "signature": ("K = 2.0\n@njit('f8(f8)')\ndef f(x): return K * x", "K = 5.0"),
    "default": ("K = 2.0\n@njit\ndef f(x, n=1): return K * x * n", "K = 5.0"),
    "fast math": ("K = np.array([2.0])\n@njit(fastmath=True)\ndef f(x): return K[0] * x", "K[0] = 5.0"),
    "chosen fast math": (
        "conf = ModuleType('conf')\nconf.K = 2.0\n@njit(fastmath={'nsz', 'reassoc', 'contract', 'afn', 'arcp'})\n"
        "def f(x): return conf.K * x",
        "conf.K = 5.0",
    ),
    "Python only": (
        "K = 2.0\n@njit\ndef f(x):\n    for k in {1: K}.values():\n        x = x * k\n    return x",
        "K = 5.0",
    ),
}


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Makes the module of a source text."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = "import math\nfrom types import ModuleType\nimport numpy as np\nfrom numba import njit\n"
    before += "from numba.extending import register_jitable\n"

    def make(text):
        name = f"frozen_{next(COUNT)}"
        (tmp_path / f"{name}.py").write_text(before + text)
        return importlib.import_module(name)

    return make


def told(f, x):
    """What is said of value and gradient; None where it is refused."""
    try:
        found = morula.withgradient(f, x)
    except morula.NotDifferentiable:
        return None
    return found.value, found.gradient[0]


def plain(f, x, h=1e-6):
    return f(x), (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
@pytest.mark.parametrize("name", SOURCES)
def test_changed_after_compilation(name, program):
    text, change = SOURCES[name]
    called, met = program(text), program(text)
    called.f(2.0)
    exec(change, vars(called))
    if name == "signature":
        exec(change, vars(met))
    for verb in (morula.withgradient, morula.pullback):
        with CHANGED:
            verb(called.f, 2.0)
    with CHANGED:
        morula.gradient(lambda x: called.f(x) * 1.0, 2.0)
    with CHANGED, morula.native_mode("never"):
        morula.gradient(called.f, 2.0)
    if name != "signature":  # the other order: differentiated first, changed, called
        morula.gradient(met.f, 2.0)
        exec(change, vars(met))
        found = told(met.f, 2.0)
        assert found is None or found == pytest.approx(plain(met.f, 2.0))
        found = told(met.f, 2.0)
        assert found is None or found == pytest.approx(plain(met.f, 2.0))


@pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
@pytest.mark.parametrize("name", SOURCES)
def test_unchanged(name, program):
    made = program(SOURCES[name][0])
    expected = plain(made.f, 2.0)
    assert told(made.f, 2.0) == pytest.approx(expected)
    assert told(made.f, 2.0) == pytest.approx(expected)


def test_compiled_anew(program):
    made = program(SOURCES["constant of a callee"][0])
    made.f(2.0)
    made.K = 5.0
    made.g.recompile()
    made.f.recompile()
    assert morula.withgradient(made.f, 2.0) == (10.0, (5.0,))
    made.K = 7.0
    made.g.recompile()
    made.f.recompile()
    assert morula.withgradient(made.f, 2.0) == (14.0, (7.0,))


def test_frozen_values_go_on(program):
    """What has been compiled and differentiated with one value keeps both."""
    made = program(SOURCES["number"][0])
    made.f(2.0)
    morula.gradient(made.f, 2.0)
    made.K = 5.0
    assert (made.f(2.0), morula.withgradient(made.f, 2.0)) == (4.0, (4.0, (2.0,)))


def test_large_arrays_are_read_where_they_are(program):
    made = program("K = np.ones(200_000)\n@njit\ndef f(x): return K[0] * x")
    made.f(2.0)
    made.K[0] = 5.0
    assert made.f(2.0) == 10.0
    assert morula.withgradient(made.f, 2.0) == (10.0, (5.0,))


PARALLEL = """
K = np.array([1.0, 2.0])
@njit(parallel=True)
def f(x):
    total = 0.0
    for i in numba.prange(x.size):
        total += x[i] * K[i % 2]
    return total + (np.sin(x) * K[0]).sum()
"""


def test_parallel_text_is_the_same_each_time(program):
    made = program("import numba\n" + PARALLEL)
    x = np.ones(4)
    made.f(x)
    (signature,) = made.f.signatures
    for _ in range(2):
        assert compiled_in.text_of(made.f.overloads[signature]) in compiled_in.texts_now(made.f, signature)
    made.K[0] = 3.0
    assert compiled_in.text_of(made.f.overloads[signature]) not in compiled_in.texts_now(made.f, signature)


CACHED = """
import sys
import numpy as np
from numba import njit
import morula
K, L, A = 2.0, 3.0, np.array([1.0])
K = float(sys.argv[1])
L = float(sys.argv[2])
A[0] = float(sys.argv[3])
@njit(cache=True)
def g(x): return L * x
@njit(cache=True)
def f(x): return K * g(x) * A[0]
f(2.0)
try:
    print(f(2.0), *morula.gradient(f, 2.0), sum(f.stats.cache_hits.values()))
except morula.NotDifferentiable as error:
    print("refused", sum(f.stats.cache_hits.values()))
"""


def test_disk_cache(tmp_path):
    path = tmp_path / "cached.py"
    path.write_text(textwrap.dedent(CACHED))

    def run(*given):
        found = subprocess.run([sys.executable, path, *given], capture_output=True, text=True, check=True)
        return found.stdout.split()

    assert run("2", "3", "1") == ["12.0", "6.0", "0"]
    assert run("2", "3", "1") == ["12.0", "6.0", "1"]
    for changed in (("5", "3", "1"), ("2", "7", "1"), ("2", "3", "4")):
        assert run(*changed) == ["refused", "1"]


# -- other bodies ---------------------------------------------------------------------------------------------------


def stub(x):
    return 3.0 * x


@overload(stub)
def _stub(x):
    if isinstance(x, types.Float):
        return lambda x: 9.0 * x * x
    return lambda x: 2.0 * x.sum()


@register_jitable
def jitable(x):
    return 3.0 * x


@intrinsic
def doubled(typingctx, x):
    return types.float64(types.float64), lambda context, builder, signature, args: builder.fadd(args[0], args[0])


@numba.stencil
def smooth(a):
    return 0.5 * (a[-1] + a[1])


@overload_method(types.Array, "morula_twice")
def _twice(a):
    return lambda a: 2 * a.sum()


@overload_attribute(types.Array, "morula_total")
def _total(a):
    return lambda a: 2 * a.sum()


@numba.njit
def calls_stub(x):
    return stub(x)


@numba.njit
def calls_stub_of_array(x):
    return stub(x) * x[0]


@numba.njit
def calls_jitable(x):
    return jitable(x) * x


@pytest.mark.parametrize("x", [2.0, np.array([1.0, 2.0])])
def test_overload_is_taken(x):
    f = calls_stub if isinstance(x, float) else calls_stub_of_array
    with morula.native_mode("require"):
        value, (bar,) = morula.withgradient(f, x)
    assert value == f(x)
    np.testing.assert_allclose(bar, 36.0 if isinstance(x, float) else [2 * 3.0 + 2.0, 2.0])


def test_overload_is_not_followed_as_python():
    refused = pytest.raises(morula.NotDifferentiable, match="'stub', for which Numba compiles another body")
    with refused, morula.native_mode("never"):
        morula.gradient(calls_stub, 2.0)


def test_jitable():
    with morula.native_mode("require"):
        assert morula.withgradient(calls_jitable, 2.0) == (12.0, (12.0,))
    with morula.native_mode("never"):
        assert morula.withgradient(calls_jitable, 2.0) == (12.0, (12.0,))


@numba.njit
def calls_intrinsic(x):
    return doubled(x)


@numba.njit
def calls_stencil(x):
    return smooth(x).sum()


@numba.njit
def calls_method(x):
    return x.morula_twice()


@numba.njit
def reads_attribute(x):
    return x.morula_total


@pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
@pytest.mark.parametrize(
    ("f", "x", "said"),
    [
        (calls_intrinsic, 2.0, "the intrinsic 'doubled'"),
        (calls_stencil, np.arange(4.0), "the stencil 'smooth'"),
        (lambda x: smooth(x).sum(), np.arange(4.0), "StencilFunc was given active values"),
        (calls_method, np.arange(4.0), "'morula_twice', an attribute"),
        (reads_attribute, np.arange(4.0), "'morula_total', an attribute"),
    ],
)
def test_what_has_no_python_body(f, x, said):
    with pytest.raises(morula.NotDifferentiable, match=said):
        morula.gradient(f, x)


# -- containers and classes of Numba's --------------------------------------------------------------------------------


@numba.experimental.jitclass([("a", types.float64)])
class Scale:
    def __init__(self, a):
        self.a = a

    def times(self, x):
        return self.a * x


@numba.njit
def of_list(x, values):
    total = 0.0
    for v in values:
        total += v * x
    return total


@numba.njit
def of_dict(x, d):
    return x * d["a"]


@numba.njit
def makes_one(x):
    return Scale(x).times(x)


@numba.njit
def of_instance(x, scale):
    return scale.times(x)


def typed_dict():
    d = Dict.empty(types.unicode_type, types.float64)
    d["a"] = 3.0
    return d


@pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
@pytest.mark.parametrize(
    ("f", "args", "said"),
    [
        (of_list, lambda: (List([1.0, 2.0]),), "numba.typed was given active values"),
        (of_dict, lambda: (typed_dict(),), "numba.typed was given active values"),
        (of_instance, lambda: (Scale(3.0),), "jitclass was given active values"),
        (lambda x: Scale(x).times(2.0), tuple, "jitclass was given active values"),
    ],
)
def test_containers_are_refused(f, args, said):
    """The arguments are made here: each takes seconds of compiling."""
    with pytest.raises(morula.NotDifferentiable, match=said):
        morula.gradient(f, 2.0, *args())


FACTOR_OF_SCALES = 2.0


@numba.njit
def scaled_by(scale, x):
    return scale.times(x)


@numba.njit
def makes_some(x):
    made = Dict.empty(types.int64, types.float64)
    other = Dict()
    for k in range(3):
        made[k % 2] = made.get(k % 2, 0.5) * x
        other[k] = scaled_by(Scale(x), made[0])
    total = 0.0
    for k, v in made.items():
        total += v * other[k]
    return total


@pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
@pytest.mark.parametrize("f", [makes_one, makes_some])
def test_what_a_function_makes_itself_is_followed(f):
    h, x = 1e-5, 1.3
    first, second = (f(x + h) - f(x - h)) / (2 * h), (f(x + h) - 2 * f(x) + f(x - h)) / h**2
    assert morula.grad(f)(x) == pytest.approx(first, rel=1e-8)
    assert morula.gradient(lambda x: f(x) * x, x)[0] == pytest.approx(first * x + f(x), rel=1e-8)
    assert morula.hvp(f, x, 1.0) == pytest.approx(second, rel=1e-4)


@pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
def test_what_it_reads_is_read_anew_once_it_is_compiled_anew(monkeypatch):
    @numba.njit
    def scaled(x):
        return Scale(x).times(x) * FACTOR_OF_SCALES

    assert morula.grad(scaled)(1.5) == 6.0
    scaled(1.5)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR_OF_SCALES", 5.0)
    with pytest.raises(morula.NotDifferentiable, match="FACTOR_OF_SCALES"):
        morula.grad(scaled)(1.5)
    scaled.recompile()
    assert morula.grad(scaled)(1.5) == 15.0


def test_warnings_name_what_is_made():
    forget_told()
    with pytest.warns(morula.NativeFallbackWarning, match="an instance of Scale, a class under jitclass"):
        morula.gradient(numba.njit(makes_one.py_func), 2.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        morula.gradient(numba.njit(makes_some.py_func), 2.0)
    assert "uses a dict" in str(caught[0].message)


def test_require_tells_of_a_dict():
    with pytest.raises(morula.NotNative, match="an argument of type dict"), morula.native_mode("require"):
        morula.gradient(of_dict, 2.0, {"a": 3.0})


ONCE = """
import numba
import morula
import morula.static.numba.kernels as kernels
count = 0
def counted(*args, made=kernels.emit_joint, **kwargs):
    global count
    count += 1
    return made(*args, **kwargs)
kernels.emit_joint = counted
@numba.njit
def f(x): return x * x
for _ in range(3):
    morula.gradient(f, 2.0)
f(2.0)
morula.gradient(f, 2.0)
print(count)
"""


def test_the_first_adjoint_is_generated_once(tmp_path):
    path = tmp_path / "once.py"
    path.write_text(ONCE)
    assert subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout == "1\n"


def test_module_type_is_no_fixed_module():
    assert not compiled_in.is_fixed(ModuleType("conf"))


def test_addresses_of_a_process_are_no_difference():
    text = (
        '@.const.pickledata.{0} = internal constant [2 x i8] c"ab"\n'
        "  store ptr @.const.picklebuf.{0}, ptr %excinfo, align 8\n"
        '@".const.<numba.core.cpu.CPUContext object at {1}>" = internal constant [3 x i8] c"cd"\n'
        '  call ptr @PyUnicode_FromString(ptr @".const.<numba.core.cpu.CPUContext object at {1}>")\n'
    )
    one, other = text.format(140663804393472, "0x7feed8106510"), text.format(139765292551232, "0x7f1da49a1410")
    assert compiled_in._NUMBERED.sub("", one) == compiled_in._NUMBERED.sub("", other)
