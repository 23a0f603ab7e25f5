import cirq
import numpy as np

CALLS: dict = {}
Q = cirq.LineQubit.range(2)
CALLS["rx"] = (lambda t: abs(cirq.unitary(cirq.rx(t))[0, 0]) ** 2, 0.7)
CALLS["XPow"] = (lambda t: cirq.unitary(cirq.X**t)[0, 1], 0.7)
CALLS["circuit"] = (
    lambda a, b: cirq.Circuit(cirq.ry(a)(Q[0]), cirq.CNOT(*Q), cirq.rz(b)(Q[1]), cirq.H(Q[1])).unitary()[0],
    0.7,
    0.4,
)
CALLS["final_state_vector"] = (
    lambda a: cirq.Circuit(cirq.ry(a)(Q[0]), cirq.CNOT(*Q)).final_state_vector(dtype=np.complex128),
    0.7,
)
CALLS["expectation"] = (
    lambda a: (
        (cirq.X(Q[0]) * cirq.X(Q[1]))
        .expectation_from_state_vector(np.array([np.cos(a), 0, 0.0, np.sin(a)], complex), {Q[0]: 0, Q[1]: 1})
        .real
    ),
    0.7,
)
