"""Intervals, percentiles, warm-ups and verdicts, computed a second time by numpy and scipy.

The data are cells: arrivals of the lab, and departures of ``sl.simulate``. Everything from there on
is written here from the definitions. Both computations are of the same cells, so they differ by
rounding alone, and no chance is involved.
"""

import re

import numpy as np
import pytest

import switchlab as sl

stats = pytest.importorskip("scipy.stats")

PORTS, LOAD = 8, 0.8
WARMUP, SLOTS, REPLICATIONS = 1000, 6000, 6


class Run:
    """A replication: cells, delays of its window, backlog after each slot of its window."""

    def __init__(self, switch, replication, traffic="uniform", load=LOAD, ports=PORTS, warmup=WARMUP, slots=SLOTS):
        cells = sl.arrivals(traffic, ports=ports, load=load, slots=warmup + slots, replication=replication)
        departures = sl.simulate(switch, cells, replication=replication)
        leave, output = np.nonzero(departures.input != sl.NONE)
        born = departures.born[leave, output].astype(np.int64)
        counts = born >= warmup
        self.ports, self.slots, self.warmup = ports, slots, warmup
        self.leave, self.delays = leave[counts] - warmup, (leave - born)[counts]
        self.came = (cells != sl.NONE).sum(axis=1)[warmup:]
        self.left = (departures.input != sl.NONE).sum(axis=1)[warmup:]
        before = (cells[:warmup] != sl.NONE).sum() - (departures.input[:warmup] != sl.NONE).sum()
        self.backlog = before + np.cumsum(self.came - self.left)

    def bins(self, values):
        """Sums over the full bins: the width is the power of two that makes at most 512 of them."""
        width = 1
        while self.slots > 512 * width:
            width *= 2
        count = self.slots // width
        return np.asarray(values)[: count * width].reshape(count, width).sum(axis=1), width

    def blocks(self, values):
        """Sums over at most 32 equal blocks of bins; what is left over is dropped at the beginning."""
        bins, width = self.bins(values)
        each = -(-len(bins) // 32)
        return bins[len(bins) % each :].reshape(-1, each).sum(axis=1), each * width


def asked(**more):
    return {"ports": PORTS, "load": LOAD, "warmup": WARMUP, "slots": SLOTS, "replications": REPLICATIONS, **more}


@pytest.fixture(scope="module")
def runs():
    return {switch: [Run(switch, replication) for replication in range(REPLICATIONS)] for switch in ("oq", "islip")}


@pytest.fixture(scope="module")
def result():
    return sl.run("oq", "islip", **asked())


def interval(values):
    """Mean and half width of Student's 95 % interval."""
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    return np.mean(values), (high - low) / 2


def near(value):
    return pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("at", [0, 1], ids=["oq", "islip"])
def test_means_have_the_intervals_of_student(runs, result, at):
    report, own = result[at], runs[["oq", "islip"][at]]
    assert (report.delay.mean, report.delay.ci95) == near(interval([run.delays.mean() for run in own]))
    throughputs = [run.left.sum() / (run.ports * run.slots) for run in own]
    assert (report.throughput.mean, report.throughput.ci95) == near(interval(throughputs))
    assert report.backlog.mean == near(np.mean([run.backlog.mean() for run in own]))
    assert abs(report.backlog.end - np.mean([run.backlog[-1] for run in own])) <= 0.5
    littles = [run.backlog.sum() / run.came.sum() for run in own]
    assert (report.delay.little.mean, report.delay.little.ci95) == near(interval(littles))


def test_switches_are_compared_by_paired_differences(runs, result):
    differences = [b.delays.mean() - a.delays.mean() for a, b in zip(runs["oq"], runs["islip"], strict=True)]
    assert (result[1].versus_first.mean, result[1].versus_first.ci95) == near(interval(differences))
    paired = stats.ttest_rel([b.delays.mean() for b in runs["islip"]], [a.delays.mean() for a in runs["oq"]])
    ends = paired.confidence_interval(0.95)
    assert result[1].versus_first.mean - result[1].versus_first.ci95 == near(ends.low)


@pytest.mark.parametrize("at", [0, 1], ids=["oq", "islip"])
def test_percentiles_have_intervals_by_inverting_a_test(runs, result, at):
    own = runs[["oq", "islip"][at]]
    everything = np.sort(np.concatenate([run.delays for run in own]))
    delays = np.unique(everything)
    shares = np.array([np.searchsorted(np.sort(run.delays), delays, side="right") / len(run.delays) for run in own])
    half = stats.t.ppf(0.975, len(own) - 1) * stats.sem(shares, axis=0)
    upper, lower = shares.mean(axis=0) + half, shares.mean(axis=0) - half
    assert len(result[at].delay.percentiles) >= 5
    for found in result[at].delay.percentiles:
        share = found.percent / 100
        value = everything[int(np.ceil(share * len(everything) - 1e-9)) - 1]
        assert found.value == value == np.quantile(everything, share, method="inverted_cdf")
        # From the first delay at which the share may be reached, to the first from which on it is.
        low = delays[np.flatnonzero(upper < share)[-1] + 1] if (upper < share).any() else delays[0]
        reached = np.flatnonzero(lower < share)
        after = 0 if len(reached) == 0 else reached[-1] + 1
        high = delays[after] if after < len(delays) else delays[-1]
        assert found.ci95 == (min(low, value), max(high, value))


def test_percentiles_are_within_the_bounds_of_a_bootstrap(runs, result):
    """A third method, of whole replications: its interval overlaps ours."""
    own = [run.delays for run in runs["islip"]]
    generator = np.random.default_rng(1)
    draws = [
        np.quantile(np.concatenate([own[i] for i in generator.integers(0, len(own), len(own))]), 0.99) for _ in range(200)
    ]
    low, high = np.quantile(draws, [0.025, 0.975])
    found = next(one for one in result[1].delay.percentiles if one.percent == 99)
    assert found.ci95[0] <= high and low <= found.ci95[1]


def batch_means(sums, weights):
    """Fishman's procedure for a ratio of two sums in batches. The half width; None if there is none."""
    least = 10
    while (weights > 0).sum() >= least:
        count = len(sums)
        residuals = (sums - sums.sum() / weights.sum() * weights) * count / weights.sum()
        deviations = ((residuals - residuals.mean()) ** 2).sum()
        correlation = 1 - (np.diff(residuals) ** 2).sum() / (2 * deviations) if deviations > 0 else 0.0
        if correlation <= stats.norm.ppf(0.9) * np.sqrt((count - 2) / (count**2 - 1)):
            passed = max(correlation, 0.0)
            error = np.sqrt(residuals.var(ddof=1) / count * (1 + passed) / (1 - passed))
            return stats.t.ppf(0.975, count - 1) * error
        skip = count % 2
        sums, weights = sums[skip:].reshape(-1, 2).sum(axis=1), weights[skip:].reshape(-1, 2).sum(axis=1)
        least = 8
    return None


@pytest.mark.parametrize("switch", ["oq", "islip", "pim"])
def test_one_long_run_has_the_intervals_of_batch_means(switch):
    given = 0
    for load in (0.2, 0.4, 0.8):
        report = sl.run(switch, **asked(load=load, slots=40_000, replications=1))[0]
        run = Run(switch, 0, load=load, slots=40_000)
        sums = np.bincount(run.leave, weights=run.delays, minlength=run.slots)
        count = np.bincount(run.leave, minlength=run.slots)
        (sums, _), (count, _) = run.blocks(sums), run.blocks(count)
        half = batch_means(sums, count.astype(float))
        given += half is not None
        assert report.delay.mean == near(run.delays.mean())
        assert report.delay.ci95 == (None if half is None else near(half))
        left, length = run.blocks(run.left)
        half = batch_means(left.astype(float), np.full(len(left), float(length * run.ports)))
        assert report.throughput.ci95 == (None if half is None else near(half))
    # pim cannot carry 0.8: its delays grow, and no batches are long enough.
    assert given == (2 if switch == "pim" else 3)


def mser5(values):
    """The cut, and whether it can be trusted."""
    groups = np.asarray(values, float)[: len(values) // 5 * 5].reshape(-1, 5).mean(axis=1)
    rest = [groups[cut:] for cut in range(len(groups) // 2 + 1)]
    errors = [((part - part.mean()) ** 2).sum() / len(part) ** 2 for part in rest]
    cut = int(np.argmin(errors))
    return 5 * cut, cut < len(groups) // 2


@pytest.mark.parametrize("load", [0.5, 0.9, 0.97])
def test_warm_ups_are_found_by_mser5(load):
    slots = 8000
    found = sl.run("islip", "oq", ports=PORTS, load=load, slots=slots, warmup="auto", replications=2)[0].warmup
    cuts = []
    for switch in ("islip", "oq"):
        run = Run(switch, 0, load=load, warmup=0, slots=slots)
        bins, width = run.bins(run.backlog)
        cuts.append(mser5(bins)[0] * width)
    assert found == max(cuts)


def fieller(above, below, confidence=0.95):
    """All ratios c for which the mean of a - c b does not differ from 0, by search for the ends."""
    from scipy.optimize import brentq

    quantile = stats.t.ppf((1 + confidence) / 2, len(above) - 1)

    def excess(c):
        differences = above - c * below
        return abs(differences.mean()) - quantile * stats.sem(differences)

    ratio = above.mean() / below.mean()
    return ratio, brentq(excess, ratio - 1, ratio, xtol=1e-14), brentq(excess, ratio, ratio + 1, xtol=1e-14)


def test_ratios_have_the_intervals_of_fieller(runs):
    grid = {"title": "x", "switches": ["oq", "islip"], **asked()}
    grid["loads"] = grid.pop("load")
    where = {"switch": "islip", "load": LOAD}
    claim = {"id": "ratio", "text": "A ratio.", "metric": "delay", "where": where, "ratio": {"to": {"switch": "oq"}, "least": 1}}
    measured = sl.sweep({**grid, "claim": [claim]}).claims["ratio"][1]
    above, below = (np.array([run.delays.mean() for run in runs[switch]]) for switch in ("islip", "oq"))
    expected = fieller(above, below)
    found = re.search(r"([\d.]+) \[([\d.]+), ([\d.]+)\]", measured)
    assert found is not None, measured
    assert [float(number) for number in found.groups()] == pytest.approx(expected, rel=2e-4)


def verdict(runs):
    """The rule of the verdict, for five runs or more."""
    means, drifts, growths, ages = [], [], [], []
    for run in runs:
        sums, length = run.blocks(run.backlog)
        mean = sums / length
        count, half, third = len(mean), len(mean) // 2, len(mean) // 3
        drifts.append((mean[count - half :].mean() - mean[:half].mean()) / ((count - half) * length))
        starts = [0, (count - third) // 2, count - third]
        levels = [mean[start : start + third].mean() for start in starts]
        growths.append(np.diff(levels) / (np.diff(starts) * length))
        bins, width = run.bins(run.backlog)
        ages.append(run.warmup + len(bins) * width - count * length / 2)
        means.append(mean)
    drift, half_width = interval(drifts)
    late_less = {share: interval([late - share * early for early, late in growths]) for share in (0.8, 0.98)}
    around = np.concatenate(means).mean()
    products = sum(((mean[:-1] - around) * (mean[1:] - around)).sum() for mean in means)
    persistence = products / sum(((mean - around) ** 2).sum() for mean in means)
    share = np.mean(ages) / np.mean([mean.mean() for mean in means])
    lasts = late_less[0.8][0] - late_less[0.8][1] >= 0
    slows = late_less[0.98][0] + late_less[0.98][1] < 0
    long_enough = runs[0].slots >= 16 * runs[0].ports
    if persistence >= 0.65 and (drift - half_width) * share >= 2 / 3 and lasts and not slows and long_enough:
        return "unstable", drift, half_width
    forgets = persistence < 0.65
    if (forgets and drift <= 1.5 * half_width) or (drift <= half_width and (drift + half_width) * share < 0.25):
        return "stable", drift, half_width
    return "undecided", drift, half_width


POINTS = [
    ("oq", "uniform", 0.8),
    ("oq", "uniform", 0.99),
    ("islip", "diagonal", 0.7),
    ("islip", "diagonal", 0.85),
    ("pim", "uniform", 0.6),
    ("pim", "uniform", 0.66),
    ("pim", "uniform", 0.75),
    ("fifo", "uniform", 0.5),
    ("fifo", "uniform", 0.62),
    ("fifo", "uniform", 0.8),
    ("tdm", "diagonal", 0.3),
    ("serena", "uniform", 0.95),
]


@pytest.mark.parametrize(("switch", "traffic", "load"), POINTS)
def test_verdicts_follow_the_rule(switch, traffic, load):
    slots = 3000
    report = sl.run(switch, **asked(traffic=traffic, load=load, slots=slots))[0]
    own = [Run(switch, replication, traffic, load, slots=slots) for replication in range(REPLICATIONS)]
    expected, drift, half_width = verdict(own)
    assert report.verdict == expected, report.evidence
    shown = re.search(r"(?:by|drift) (-?[\d.]+) cells per slot \(±([\d.]+)\)", report.evidence)
    assert shown is not None, report.evidence
    digits = len(shown[2].partition(".")[2])
    falls = "falls" in report.evidence
    assert abs(float(shown[1]) - (-drift if falls else drift)) <= 0.51 * 10**-digits
    assert abs(float(shown[2]) - half_width) <= 0.51 * 10**-digits


def test_the_points_have_all_verdicts():
    """So that the rule is tested, and not one branch of it."""
    found = {sl.run(switch, **asked(traffic=traffic, load=load, slots=3000))[0].verdict for switch, traffic, load in POINTS}
    assert found == {"stable", "unstable", "undecided"}


def test_coverage_of_intervals():
    """Of the 95 % intervals of a throughput, 95 of 100 cover the truth: below saturation, the load.

    200 comparisons of 5 runs each, seeds fixed. At a coverage of 95 %, fewer than 178 or 200 happen
    with a probability of 0.0002.
    """
    covered = 0
    for seed in range(200):
        report = sl.run("tdm", ports=4, load=0.3, slots=400, warmup=200, replications=5, seed=seed)[0]
        covered += abs(report.throughput.mean - 0.3) <= report.throughput.ci95
    assert 178 <= covered <= 199
