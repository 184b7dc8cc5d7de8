#!/usr/bin/env python3
"""Measures topos, and with --peers other libraries on the same work in the same run.

Each row is measured in rounds; in a round, topos and every peer take one sample in turn, each
in a process of its own that may use as many cores as it has threads. What is printed is the
median of the rounds. The ratio says how many times as good topos is as the best peer, so that
more than 1 is better in every unit. A target is such a ratio ("2.00 x torch": to PyTorch
alone), or a value in the row's unit ("<= 0.8"), which needs no peer.
"""

import contextlib
import datetime
import json
import os
import platform
import re
import select
import subprocess
import sys
import tempfile
import time

import bench_rows
from bench_rows import PEERS, ROWS, figure
from tool_process import CommandLine, ToolError, complain, one_line, run_tool

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(HOME, "build/release/bin/topos_bench")
PEER_PYTHON = os.path.join(HOME, "build/peers/bin/python")
LOG = os.path.join(HOME, "build/bench.log")
PATIENCE = 600  # seconds that one sample may take
EXAMPLES = """script/bench                                        all rows, topos alone
  script/bench --filter '^gemm/' --threads 1          the products on one thread
  script/bench --peers --json build/bench.json        against the peers, every sample kept
  script/bench --peers --page                         the same, and docs/performance.md from it
  script/bench --rounds 1 --min-time 0.05             a quick look"""


class Failed(Exception):
    """A sample that could not be taken; its text says why."""


def environment(threads):
    """A child's: as many threads everywhere, and no other machine's settings."""
    own = dict(os.environ)
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # they slow NumPy's products
        own.pop(name, None)
    for name in (
        "TOPOS_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "NPROC",
    ):
        own[name] = str(threads)
    return own


def start(command, threads, **streams):
    """A child on the first `threads` of the cores that this process may use."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    return subprocess.Popen(
        command,
        cwd=HOME,
        env=environment(threads),
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
        **streams,
    )


def end(child):
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream:
            with contextlib.suppress(OSError):
                stream.close()


class Topos:
    """One process of the benchmark program a sample."""

    def __init__(self, min_time):
        self.min_time = min_time

    def sample(self, case):
        with tempfile.NamedTemporaryFile(mode="r", suffix=".json") as out, open(LOG, "a") as log:
            command = [
                PROGRAM,
                f"--benchmark_filter=^{re.escape(case.row.name)}(/iterations:[0-9]+)?/real_time$",
                f"--benchmark_min_time={self.min_time}",
                f"--benchmark_out={out.name}",
                "--benchmark_out_format=json",
            ]
            child = start(command, case.threads, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            try:
                status = child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                raise Failed(f"no sample within {PATIENCE} s") from None
            finally:
                end(child)
            text = out.read()
        if status != 0:
            raise Failed(f"topos_bench ended with {status}; {LOG} has what it wrote")
        found = json.loads(text)["benchmarks"] if text.strip() else []
        if not found:
            raise Failed("topos_bench has no such row")
        measured = found[0]
        if measured.get("error_occurred"):
            raise Failed(measured["error_message"])
        scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[measured["time_unit"]]
        sample = {"seconds": measured["real_time"] * scale}
        sample.update({name: measured[name] for name in ("bytes", "nodes") if name in measured})
        return sample

    def close(self):
        pass


class Peer:
    """A process that lives from its first row on, so that it compiles each row once."""

    def __init__(self, name, threads, min_time):
        self.name, self.threads, self.min_time = name, threads, min_time
        self.child = None
        self.missing = None
        self.version = None

    def _start(self):
        command = [
            PEER_PYTHON,
            os.path.join(HOME, "tools/bench-peers.py"),
            self.name,
            f"--threads={self.threads}",
            f"--min-time={self.min_time}",
        ]
        with open(LOG, "a") as log:
            self.child = start(
                command,
                self.threads,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=1,
            )
        hello = self._line()
        if "missing" in hello:
            self.missing = hello["missing"]
            raise Failed(self.missing)
        self.version = hello["version"]

    def _line(self):
        ready, _, _ = select.select([self.child.stdout], [], [], PATIENCE)
        line = self.child.stdout.readline() if ready else ""
        if not line:
            self.close()
            raise Failed(
                f"ended early; {LOG} has what it wrote"
                if ready
                else f"no sample within {PATIENCE} s"
            )
        return json.loads(line)

    def sample(self, case):
        if self.missing:
            raise Failed(self.missing)
        if not os.path.exists(PEER_PYTHON):
            raise Failed("not installed: script/bootstrap peers")
        if case.row.fresh:
            self.close()
        if self.child is None:
            self._start()
        try:
            self.child.stdin.write(case.row.name + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            pass  # the reply, or its absence, says why
        reply = self._line()
        if case.row.fresh:
            self.close()
        if "skipped" in reply:
            raise Failed(reply["skipped"])
        return reply

    def close(self):
        if self.child is not None:
            end(self.child)
        self.child = None


class Terminal:
    """Progress where somebody watches."""

    watched = sys.stderr.isatty()

    def progress(self, text):
        if self.watched:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self):
        self.progress("")


def measure(cases, options, terminal, finished):
    """Calls finished(case, record) after each case; returns the peers' versions."""
    peers, versions = {}, {}
    ours = Topos(options.min_time)
    try:
        for number, case in enumerate(cases):
            takers = {"topos": ours}
            for name in case.row.peers if options.peers else ():
                key = (name, case.threads)
                takers[name] = peers.setdefault(key, Peer(*key, options.min_time))
            record = {"samples": {name: [] for name in takers}, "skipped": {}}
            for turn in range(options.rounds):
                for name, taker in takers.items():
                    if name in record["skipped"]:
                        continue
                    place = (
                        f"row {number + 1} of {len(cases)}, round {turn + 1} of {options.rounds}"
                    )
                    terminal.progress(f"{case.key}, {place}: {name}")
                    try:
                        sample = taker.sample(case)
                        sample.pop("row", None)
                        record["samples"][name].append(sample)
                    except Failed as fault:
                        record["skipped"][name] = one_line(fault)
                        record["samples"][name] = []
            versions.update(
                {name: peer.version for (name, _), peer in peers.items() if peer.version}
            )
            terminal.clear()
            finished(case, record)
    finally:
        for peer in peers.values():
            peer.close()
    return versions


def table_line(cells):
    return "  ".join(
        cell.ljust(width) if position == 0 else cell.rjust(width)
        for position, (cell, width) in enumerate(cells)
    ).rstrip()


def columns(options):
    names = [("row", 28), ("threads", 7), ("topos", 9)]
    if options.peers:
        names += [(name, 9) for name in PEERS] + [("ratio", 6)]
    return names + [("unit", 10), ("target", 15), ("", 7)]


def row_line(result, options):
    row = result.case.row
    cells = [row.name, str(result.case.threads), figure(result.ours)]
    if options.peers:
        cells += [figure(result.peers.get(name)) for name in PEERS]
        cells.append("-" if result.ratio is None else f"{result.ratio:.2f}")
    cells += [row.unit, row.wanted, "" if result.verdict == "-" else result.verdict]
    return table_line(list(zip(cells, (width for _, width in columns(options)))))


def command_output(command):
    try:
        done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def machine():
    """What the figures depend on."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    flags = set((re.search(r"^flags\s*:\s*(.*)$", text, re.MULTILINE) or [0, ""])[1].split())
    return {
        "processor": model[1] if model else platform.machine(),
        "vectors": next(
            (name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags),
            "?",
        ),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "compiler": (command_output(["g++", "--version"]).splitlines() or ["?"])[0],
        "commit": command_output(["git", "describe", "--always", "--dirty"]),
    }


def write_whole(path, text):
    """All of it or nothing: a run that is interrupted leaves the file as it was."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
    except OSError as fault:
        raise ToolError(f"{path}: cannot be written: {fault.strerror}") from None


def prepare(options):
    """Builds the program, and installs the peers if they are wanted and are not there."""
    if subprocess.run(
        [os.path.join(HOME, "script/build"), "release", "topos_bench"], check=False
    ).returncode:
        raise ToolError("topos_bench could not be built")
    if options.peers:
        if subprocess.run(
            [os.path.join(HOME, "script/bootstrap"), "peers"], check=False
        ).returncode:
            complain("the peers could not all be installed; those that are missing are skipped")
    listed = command_output([PROGRAM, "--benchmark_list_tests"]).splitlines()
    there = {re.sub(r"(/iterations:\d+)?/real_time$", "", name) for name in listed}
    if there != {row.name for row in ROWS}:
        odd = ", ".join(sorted(there ^ {row.name for row in ROWS}))
        raise ToolError(f"bench/ and tools/bench_rows.py do not have the same rows: {odd}")


def thread_counts(line, text):
    counts = text.split(",")
    if not all(re.fullmatch(r"[1-9]\d{0,3}", count) for count in counts):
        line.error(f"--threads takes numbers such as 1,2 and not {text!r}")
    counts = sorted({int(count) for count in counts})
    cores = len(os.sched_getaffinity(0))
    if counts[-1] > cores:
        line.error(f"--threads {counts[-1]}: this process may use {cores} cores")
    return counts


def wanted_rows(line, pattern):
    try:
        rows = [row for row in ROWS if re.search(pattern, row.name)]
    except re.error as fault:
        line.error(f"--filter {pattern!r} is no regular expression: {fault}")
    if not rows:
        line.error(f"--filter {pattern!r} matches no row; --list names them")
    return rows


def parse():
    cores = len(os.sched_getaffinity(0))
    line = CommandLine(__doc__, EXAMPLES)
    line.prog = "script/bench"
    line.add_argument(
        "--filter", metavar="REGEX", default="", help="only the rows in whose name this occurs"
    )
    line.add_argument(
        "--peers", action="store_true", help="other libraries too; installs them in build/peers"
    )
    line.add_argument(
        "--threads",
        metavar="N,...",
        default=f"1,{cores}",
        help="thread counts: gemm runs at each, map at 1, the others at the largest (%(default)s)",
    )
    line.add_argument(
        "--rounds", metavar="N", type=int, default=5, help="samples of each row (%(default)s)"
    )
    line.add_argument(
        "--min-time",
        metavar="SECONDS",
        type=float,
        default=0.2,
        help="seconds a sample takes at least (%(default)s)",
    )
    line.add_argument("--json", metavar="FILE", help="write every sample there")
    line.add_argument(
        "--page", action="store_true", help="write docs/performance.md and its charts from this run"
    )
    line.add_argument(
        "--list", action="store_true", help="name the rows, what each one is, and stop"
    )
    options = line.parse_args()
    if options.rounds < 1:
        line.error(f"--rounds takes a number from 1 on and not {options.rounds}")
    if not 0 < options.min_time <= 60:
        line.error(f"--min-time takes up to 60 seconds and not {options.min_time:g}")
    if options.json and not os.path.isdir(os.path.dirname(os.path.abspath(options.json))):
        line.error(f"--json {options.json}: there is no such folder")
    if options.page and options.filter:
        line.error("--page is of all rows: it does not go with --filter")
    options.threads = thread_counts(line, options.threads)
    options.rows = wanted_rows(line, options.filter)
    return options


def main():
    options = parse()
    rows = options.rows
    if options.list:
        width = max(len(row.name) for row in rows)
        for row in rows:
            print(f"{row.name.ljust(width)}  {row.unit.ljust(10)}  {row.what}", flush=True)
        return 0
    terminal = Terminal()
    prepare(options)
    open(LOG, "w").close()
    document = {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "rounds": options.rounds,
        "min_time": options.min_time,
        "cases": [],
    }
    if document["machine"]["load"] > 0.5 * document["machine"]["cores"]:
        complain(
            f"the load is {document['machine']['load']}: something else runs, as the figures show"
        )
    started = time.monotonic()
    print(table_line([(name, width) for name, width in columns(options)]))
    skipped = {}

    def finished(case, record):
        result = bench_rows.result(case, record)
        print(row_line(result, options), flush=True)
        for who, why in result.skipped.items():
            skipped.setdefault((who, why), []).append(case.key)
        document["cases"].append(
            {
                "row": case.row.name,
                "threads": case.threads,
                "unit": case.row.unit,
                **{name: getattr(case.row, name) for name in bench_rows.TARGET},
                **record,
            }
        )

    versions = measure(list(bench_rows.cases(rows, options.threads)), options, terminal, finished)
    document["versions"] = versions
    for (who, why), keys in skipped.items():
        print(f"skipped: {who} on {', '.join(keys)}: {why}")
    verdicts = [result.verdict for result in bench_rows.results(document)]
    judged = [verdict for verdict in verdicts if verdict != "-"]
    if judged:
        print(f"{judged.count('met')} of {len(judged)} targets met")
    print(
        f"{len(document['cases'])} rows, medians of {options.rounds};"
        f" {time.monotonic() - started:.0f} s",
        flush=True,
    )
    text = json.dumps(document, indent=1) + "\n"
    if options.json:
        write_whole(options.json, text)
    if options.page:
        kept = options.json or os.path.join(HOME, "build/bench.json")
        write_whole(kept, text)
        subprocess.run(
            [sys.executable, os.path.join(HOME, "tools/performance-page.py"), kept], check=True
        )
    return 0 if not any(who == "topos" for who, _ in skipped) else 1


if __name__ == "__main__":
    sys.argv[0] = "script/bench"  # what complaints call it
    run_tool(main)
