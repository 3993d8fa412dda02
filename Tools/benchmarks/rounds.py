"""Times of runs that take turns, for the benchmarks in Python."""

import time

ROUNDS = 7


def shortest(runs):
    """Returns the shortest time of each run; they take turns, and the first time of each is left out."""
    times = {name: [] for name in runs}
    for _ in range(ROUNDS + 1):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: min(values[1:]) for name, values in times.items()}
