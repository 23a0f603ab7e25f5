import pystra as ra

CALLS: dict = {}


def beta(mean, spread):
    options = ra.AnalysisOptions()
    options.setPrintOutput(False)
    limit = ra.LimitState(lambda X1, X2, X3: 1 - X2 / (1000.0 * X3) - (X1 / (200.0 * X3)) ** 2)
    model = ra.StochasticModel()
    model.addVariable(ra.Lognormal("X1", mean, spread))
    model.addVariable(ra.Lognormal("X2", 2000, 400))
    model.addVariable(ra.Uniform("X3", 5, 0.5))
    form = ra.Form(analysis_options=options, stochastic_model=model, limit_state=limit)
    form.run()
    return form.getBeta()


CALLS["FORM"] = (beta, 500.0, 100.0)
for name in ("Normal", "Lognormal", "Gumbel", "Gamma", "Weibull"):
    CALLS[f"{name} cdf"] = (lambda m, s, n=name: getattr(ra, n)("X", m, s).cdf(11.0), 10.0, 2.0)
    CALLS[f"{name} to normal"] = (lambda m, s, n=name: getattr(ra, n)("X", m, s).x_to_u(11.0), 10.0, 2.0)
