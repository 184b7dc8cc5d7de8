"""Tensors as text: one a line, `2x3 1.0 2.0 3.0 4.0 5.0 6.0`, `-` for the extents of rank 0.

Values are row-major decimals, `inf`, `-inf` or `nan`; i1 is 0 or 1. Reading rounds each
decimal once, to nearest even, and writing gives the shortest decimal that reads back to the
same value, so a value passes through text unchanged (a NaN keeps no payload).
"""

import functools
import math
import re
from fractions import Fraction

import numpy

from stablehlo_runtime import ELEMENTS, shape_text
from tool_process import ToolError

_EXTENTS = re.compile(r"-|\d{1,18}(x\d{1,18})*")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NON_FINITE = re.compile(r"[+-]?(inf|nan)", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d{1,20}")


def parse_tensors(text, types, name):
    """Reads one array for every TensorType of `types`; `name` is the file's, for messages."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) != len(types):
        raise ToolError(f"{name}: holds {len(lines)} tensors, @main takes {len(types)} arguments")
    arrays = []
    for position, ((number, line), wanted) in enumerate(zip(lines, types)):
        where = f"{name}:{number}"
        extents, *words = line.split()
        if not _EXTENTS.fullmatch(extents):
            raise ToolError(
                f"{where}: '{extents}' is no shape; write extents as 2x3, or - for rank 0"
            )
        shape = () if extents == "-" else tuple(int(extent) for extent in extents.split("x"))
        if shape != wanted.shape:
            raise ToolError(
                f"{where}: argument {position} is {shape_text(shape)} here and {wanted} in @main"
            )
        if len(words) != math.prod(shape):
            raise ToolError(
                f"{where}: {shape_text(shape)} holds {math.prod(shape)} values, {len(words)} are"
                " given"
            )
        arrays.append(_parse_values(words, wanted, where))
    return arrays


def format_tensor(array, element):
    """Returns the line of one tensor, without its line end."""
    values = array.reshape(-1)
    if element == "i1":
        words = ["1" if value else "0" for value in values]
    elif element == "bf16":
        words = [_bf16_text(bits) for bits in values.view(numpy.uint16).tolist()]
    else:
        words = [str(value) for value in values]
    return " ".join([shape_text(array.shape), *words])


def _parse_values(words, wanted, where):
    dtype = ELEMENTS[wanted.element]
    if wanted.element in ("f32", "f64", "bf16"):
        for word in words:
            if not (_DECIMAL.fullmatch(word) or _NON_FINITE.fullmatch(word)):
                raise ToolError(f"{where}: '{word}' is no decimal number")
        values = _round_decimals(words, wanted.element)
    else:
        low, high = (0, 1) if wanted.element == "i1" else _integer_range(dtype)
        numbers = []
        for word in words:
            if not _INTEGER.fullmatch(word) or not low <= int(word) <= high:
                raise ToolError(f"{where}: '{word}' is no {wanted.element} ({low} to {high})")
            numbers.append(int(word))
        values = numpy.array(numbers, dtype=dtype)
    return values.reshape(wanted.shape)


def _integer_range(dtype):
    limits = numpy.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _round_decimals(words, element):
    """Rounds each decimal once. float() does so for f64; a narrower element would be rounded
    twice, which differs only where the double lies exactly between two narrow values."""
    wide = numpy.array([float(word) for word in words], dtype=numpy.float64)
    if element == "f64":
        return wide
    with numpy.errstate(over="ignore", under="ignore"):
        narrow = wide.astype(numpy.float32).astype(ELEMENTS[element])
    # A tie, also one of subnormals, has at least 28 (f32) or 44 (bf16) trailing zero bits.
    # There the exact decimal decides, by moving the double one step towards it.
    low_bits = (1 << (28 if element == "f32" else 44)) - 1
    may_tie = ((wide.view(numpy.int64) & low_bits) == 0) & (narrow.astype(numpy.float64) != wide)
    for index in numpy.flatnonzero(may_tie & numpy.isfinite(wide)).tolist():
        value, exact = float(wide[index]), Fraction(words[index])
        if exact != Fraction(value):
            wide[index] = math.nextafter(value, math.inf if exact > value else -math.inf)
    with numpy.errstate(over="ignore", under="ignore"):
        narrow = wide.astype(numpy.float32)
        if element == "f32":
            return narrow
        # Through f32 rounded to odd, which keeps "more than half" and "less than half" apart.
        inexact = numpy.isfinite(wide) & (narrow.astype(numpy.float64) != wide)
        even = (narrow.view(numpy.uint32) & 1) == 0
        towards = numpy.where(wide > narrow.astype(numpy.float64), numpy.inf, -numpy.inf)
        odd = numpy.nextafter(narrow, towards.astype(numpy.float32))
        return numpy.where(inexact & even, odd, narrow).astype(ELEMENTS["bf16"])


@functools.lru_cache(maxsize=None)
def _bf16_text(bits):
    """Shortest decimal of one bf16 value: four significant digits always suffice."""
    value = float(numpy.array([bits << 16], dtype=numpy.uint32).view(numpy.float32)[0])
    if not math.isfinite(value) or value == 0:
        return str(value)
    for digits in range(4):
        word = f"{value:.{digits}e}"
        if int(_round_decimals([word], "bf16").view(numpy.uint16)[0]) == bits:
            break
    return repr(float(word))
