import chaospy
import numpy as np

CALLS = {
    "Normal.pdf": (lambda x: chaospy.Normal(0.0, 1.0).pdf(x), 0.3),
    "Normal.cdf": (lambda x: chaospy.Normal(0.0, 1.0).cdf(x), 0.3),
    "Uniform.inv": (lambda x: chaospy.Uniform(1.0, 3.0).inv(x), 0.3),
    "Normal(mu)": (lambda m: chaospy.Normal(m, 1.0).pdf(0.4), 0.3),
    "J.pdf": (lambda x: chaospy.J(chaospy.Normal(), chaospy.Uniform()).pdf(x), np.array([0.3, 0.4])),
    "polynomial": (lambda x: chaospy.variable()(x) ** 2, 0.3),
}
