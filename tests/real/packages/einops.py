import einops
import numpy as np

CALLS: dict = {}
rng = np.random.default_rng(0)
A = rng.random((4, 3))
B = rng.random((5, 3))
CALLS["rearrange"] = (lambda x: (einops.rearrange(x, "a b -> b a") ** 2)[0], A)
CALLS["reduce"] = (lambda x: einops.reduce(x**2, "a b -> a", "mean"), A)
CALLS["reduce max"] = (lambda x: einops.reduce(x**2, "(h k) b -> h b", "max", k=2), A)
CALLS["repeat"] = (lambda x: einops.repeat(x, "a b -> a b c", c=2) ** 2, A)
CALLS["einsum"] = (lambda x, y: einops.einsum(x, y, "a b, c b -> a c") ** 2, A, B)
CALLS["pack"] = (lambda x, y: einops.pack([x, y], "* b")[0] ** 2, A, B)
