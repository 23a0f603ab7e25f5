from anastruct import SystemElements

CALLS: dict = {}


def cantilever(q, ei):
    beam = SystemElements(EA=15000.0, EI=ei)
    beam.add_element(location=[[0, 0], [5, 0]])
    beam.add_element(location=[[5, 0], [5, 5]])
    beam.add_support_fixed(node_id=1)
    beam.q_load(element_id=1, q=q)
    beam.point_load(node_id=3, Fx=2.0)
    beam.solve()
    return beam.get_node_results_system(node_id=3)["ux"], beam.get_element_results(element_id=1)["Mmin"]


CALLS["frame"] = (lambda q, ei: cantilever(q, ei), -3.0, 5000.0)
