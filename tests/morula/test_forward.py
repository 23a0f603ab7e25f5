"""Forward mode: what `jvp` takes and gives."""

import numpy as np
import pytest

from morula import SeedError, jvp


def test_a_complex_tangent_of_a_real_number_is_refused():
    for x, t in ((1.0, 1j), (np.ones(2), 1j * np.ones(2))):
        with pytest.raises(SeedError, match="is complex, and the primal is real"):
            jvp(lambda x: x * 2.0, (x,), (t,))
