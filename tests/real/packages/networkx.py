import networkx as nx


def weighted(*weights):
    G = nx.Graph()
    G.add_weighted_edges_from([(0, 1, weights[0]), (1, 2, weights[1]), (0, 2, weights[2]), (2, 3, 1.0)])
    return G


CALLS = {
    "shortest_path_length": (
        lambda a, b, c: nx.shortest_path_length(weighted(a, b, c), 0, 3, weight="weight"),
        1.0,
        1.2,
        3.0,
    ),
    "dijkstra": (lambda a, b, c: nx.dijkstra_path_length(weighted(a, b, c), 0, 3), 1.0, 1.2, 3.0),
    "degree": (lambda a, b: weighted(a, b, 1.0).degree(2, weight="weight"), 1.0, 1.2),
    "pagerank": (lambda a, b: nx.pagerank(weighted(a, b, 1.0))[2], 1.0, 1.2),
    "clustering": (lambda a, b: nx.clustering(weighted(a, b, 1.0), 0, weight="weight"), 1.0, 1.2),
    "closeness": (lambda a, b: nx.closeness_centrality(weighted(a, b, 1.0), 0, distance="weight"), 1.0, 1.2),
    "laplacian": (lambda a, b: nx.laplacian_spectrum(weighted(a, b, 1.0)), 1.0, 1.2),
    "adjacency": (lambda a, b: nx.to_numpy_array(weighted(a, b, 1.0)), 1.0, 1.2),
    "max_flow": (lambda a, b: nx.maximum_flow_value(weighted(a, b, 1.0), 0, 2, capacity="weight"), 1.0, 1.2),
    "mst": (lambda a, b: nx.minimum_spanning_tree(weighted(a, b, 1.1)).size(weight="weight"), 1.0, 1.2),
    "eigenvector_centrality": (
        lambda a, b: nx.eigenvector_centrality_numpy(weighted(a, b, 1.0), weight="weight")[0] ** 2,
        1.0,
        1.2,
    ),
    "betweenness": (lambda a, b: sum(d["weight"] for _, _, d in weighted(a, b, 1.0).edges(data=True)), 1.0, 1.2),
    "floyd_warshall": (lambda a, b: nx.floyd_warshall_numpy(weighted(a, b, 1.0))[0, 1], 1.0, 1.2),
    "johnson": (lambda a, b: dict(nx.all_pairs_dijkstra_path_length(weighted(a, b, 3.0)))[0][3], 1.0, 1.2),
    "resistance": (lambda a, b: nx.resistance_distance(weighted(a, b, 1.0), 0, 3, weight="weight"), 1.0, 1.2),
}
