import radioactivedecay as rd

CALLS: dict = {}
CALLS["decay"] = (lambda t: rd.Inventory({"Mo-99": 2.0}, "Bq").decay(t, "h").activities("Bq")["Tc-99m"], 20.0)
