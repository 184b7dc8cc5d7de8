"""The rows that script/bench measures: what each one is, its unit, its peers and its target.

A row's name is that of a benchmark in bench/. A sample is what one process measured of it:
the seconds of one iteration, or bytes for a memory row.
"""

import math
import statistics
from dataclasses import dataclass, replace

from bench_layers import LAYERS, OPTIMIZERS

EACH, ONE, ALL = "each", "one", "all"  # of the thread counts asked for: all, 1, the largest
PEERS = {
    "numpy": "NumPy",
    "torch": "PyTorch",
    "compiled": "torch.compile",
    "jax": "JAX",
    "iree": "IREE",
}
TARGET = ("target", "against", "absolute")  # a row's fields that a run's file keeps, too
FUNCTIONS = ("exp", "log", "log1p", "expm1", "tanh", "sin", "cos", "erf", "sqrt", "power")


@dataclass(frozen=True)
class Row:
    name: str
    what: str
    unit: str  # GFLOP/s, ns/element, ms, Mnode/s or MiB
    peers: tuple
    work: float = 1.0  # floating-point operations or elements of one iteration
    threads: str = ALL
    fresh: bool = False  # a process of its own for every sample, at the peers too
    target: float | None = None  # the ratio that is wanted, to the best peer or to `against`
    against: str | None = None  # the only peer that the target is about
    absolute: float | None = None  # the value that is wanted, in the row's unit

    @property
    def more_is_better(self):
        return self.unit.endswith("/s")

    @property
    def group(self):
        return self.name.split("/")[0]

    def value(self, sample):
        """A sample in the row's unit."""
        if self.unit == "MiB":
            return sample["bytes"] / 2**20
        seconds = sample["seconds"]
        if self.unit == "GFLOP/s":
            return self.work / seconds / 1e9
        if self.unit == "ns/element":
            return seconds * 1e9 / self.work
        if self.unit == "Mnode/s":
            return sample["nodes"] / seconds / 1e6
        return seconds * 1e3

    def ratio(self, ours, peer):
        """How many times as good ours is as the peer's; 1 is equal."""
        return ours / peer if self.more_is_better else peer / ours

    @property
    def wanted(self):
        """The target in words: "1.11", "1.00 x torch", "<= 0.8"; "-" without one."""
        parts = []
        if self.target is not None:
            parts.append(f"{self.target:.2f}" + (f" x {self.against}" if self.against else ""))
        if self.absolute is not None:
            parts.append(f"{'>=' if self.more_is_better else '<='} {self.absolute:g}")
        return ", ".join(parts) or "-"


def _rows():
    for n in (64, 128, 256, 512, 1024, 2048):
        what = "product of two N x N matrices, both fed; 2 N^3 operations"
        peers = ("numpy", "torch", "jax")
        yield Row(
            f"gemm/{n}", what, "GFLOP/s", peers, 2.0 * n**3, EACH, target=1.0, against="torch"
        )
    wanted = {"exp": 0.8, "tanh": 1.2, "log": 1.0}
    for function in FUNCTIONS:
        peers = ("torch", "jax") if function == "erf" else ("numpy", "torch", "jax")
        what = "one function of 65,536 elements on one thread; power is x^y of two fed tensors"
        yield Row(
            f"map/{function}/65536",
            what,
            "ns/element",
            peers,
            65536,
            ONE,
            absolute=wanted.get(function),
        )
    for n, target in ((1 << 16, 1 / 0.9), (1 << 24, 1 / 0.7)):
        what = "tanh(x * y + z) * 2 - exp(-x) over N elements, recorded as it is written"
        peers = ("numpy", "torch", "compiled", "jax")
        yield Row(f"chain/{n}", what, "ns/element", peers, n, target=target)
    step = "one training step of the name model, batch 64: gradient and update, the loss read"
    peers = ("torch", "compiled", "jax", "iree")
    yield Row(
        "makemore/step/plan",
        f"{step}; by the plan",
        "ms",
        peers,
        target=1 / 0.4,
        absolute=0.05,
    )
    yield Row(
        "makemore/step/pjrt", f"{step}; the emitted module, by XLA in process", "ms", peers
    )
    yield Row(
        "makemore/first",
        "from nothing to the first step of that model: recorded, differentiated, lowered or"
        " compiled, and run; PyTorch without its compiler has no such stage and is not compared",
        "ms",
        ("compiled", "jax"),
        absolute=2.0,
    )
    compilers = ("torch", "compiled", "jax")
    yield Row(
        "wide/train",
        "training step of 1024 -> 2048 tanh -> 512, squared error, batch 1024; the operations of"
        " its five matrix products",
        "GFLOP/s",
        compilers,
        2.0 * 1024 * (2 * 1024 * 2048 + 3 * 2048 * 512),
        target=1.0,
        against="torch",
    )
    network = "conv32-relu-pool-conv64-relu-pool-linear on 3x32x32 images"
    yield Row(
        "cnn/forward", f"{network}, batch 8", "ms", compilers, target=1 / 0.5, against="torch"
    )
    yield Row(
        "cnn/train",
        f"training step of {network}, batch 64",
        "ms",
        compilers,
        target=1 / 0.7,
        against="torch",
    )
    yield Row(
        "attention/12x256x64",
        "causal attention: 12 heads, 256 positions, width 64",
        "ms",
        compilers,
        target=1 / 0.9,
        against="torch",
    )
    for name, layer in LAYERS.items():
        for phase in ("forward", "train"):
            what = f"{'training step of ' if phase == 'train' else ''}{layer.what}"
            yield Row(
                f"layer/{name}/{phase}", what, "ms", compilers, target=1.0, against="torch"
            )
    for name, what in OPTIMIZERS.items():
        yield Row(f"layer/{name}/train", what, "ms", compilers, target=1.0, against="torch")
    yield Row(
        "record/1M",
        "a chain of additions recorded, differentiated and lowered: 2^20 nodes; at"
        " JAX jit(grad).lower of 2^13, at PyTorch make_fx of grad of 2^11, to keep the wait short",
        "Mnode/s",
        ("torch", "jax"),
        absolute=2.0,
    )
    yield Row(
        "memory/cnn/train",
        "largest resident size during steps of cnn/train in a fresh process, less what was resident"
        " when parameters and batch were there and, at JAX, the step was compiled",
        "MiB",
        ("torch", "jax"),
        fresh=True,
        target=1.0,
    )


ROWS = tuple(_rows())


@dataclass(frozen=True)
class Case:
    """A row at a thread count."""

    row: Row
    threads: int

    @property
    def key(self):
        return f"{self.row.name} @{self.threads}"


def cases(rows, threads):
    """Each row at the counts it is measured at, of the counts asked for."""
    for row in rows:
        counts = {EACH: threads, ONE: [1], ALL: [max(threads)]}[row.threads]
        for count in counts:
            yield Case(row, count)


@dataclass(frozen=True)
class Result:
    """The medians of a case: ours, the peers', and what follows from them."""

    case: Case
    ours: float | None
    peers: dict
    skipped: dict  # who to why

    @property
    def best(self):
        """The best peer's name, None without any."""
        if not self.peers:
            return None
        order = max if self.case.row.more_is_better else min
        return order(self.peers, key=self.peers.get)

    def ratio_to(self, peer):
        """None where either was not measured."""
        if self.ours is None or peer not in self.peers:
            return None
        return self.case.row.ratio(self.ours, self.peers[peer])

    @property
    def ratio(self):
        return self.ratio_to(self.best)

    @property
    def verdict(self):
        """Either "met" or "not met"; "-" without a target or the figures that it needs."""
        row = self.case.row
        held = []
        if row.target is not None:
            ratio = self.ratio_to(row.against or self.best)
            held.append(None if ratio is None else ratio >= row.target)
        if row.absolute is not None and self.ours is not None:
            better = self.ours >= row.absolute if row.more_is_better else self.ours <= row.absolute
            held.append(better)
        if False in held:
            return "not met"
        return "met" if held and None not in held else "-"


def result(case, record):
    """Of a record {"samples": {who: [sample, ...]}, "skipped": {who: why}}."""
    medians = {
        who: statistics.median(case.row.value(sample) for sample in samples)
        for who, samples in record["samples"].items()
        if samples
    }
    ours = medians.pop("topos", None)
    return Result(case, ours, medians, record["skipped"])


def results(document):
    """The results of a file that script/bench --json wrote, in the order of ROWS."""
    known = {row.name: row for row in ROWS}
    found = []
    for record in document["cases"]:
        row = known.get(record["row"])
        if row is None:
            continue  # a row of another version
        row = replace(row, **{name: record[name] for name in TARGET})
        found.append(result(Case(row, record["threads"]), record))
    return found


def figure(value):
    """Three digits that matter, without an exponent."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    decimals = 2 if value <= 0 else max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{min(decimals, 6)}f}"
