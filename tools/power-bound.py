#!/usr/bin/env python3
"""Proves the error bounds of f32 x^y that docs/arithmetic.md states.

Reads the constants of the four evaluations (the kernel in f64 lanes, and its exponential with
AVX-512; the scalar function in double and in DoubleDouble) from their sources and adds up the
relative error of each step, in exact rational arithmetic. A polynomial's distance from its
function is the sum of the magnitudes of its Chebyshev coefficients, which no value on the interval
exceeds. Products of two errors are covered by SECOND_ORDER. The exit status is 1 if an evaluation
misses its bound.
"""

import argparse
import math
import pathlib
import re
import struct
import sys
from fractions import Fraction as Q

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src"
KERNELS = "kernels/map/"
U = Q(1, 2**53)  # one rounding of an f64, relative
SECOND_ORDER = 1 + Q(1, 2**20)  # fewer than 2^10 errors, each below 2^-31
LN2 = sum(Q(2, (2 * n + 1) * 3 ** (2 * n + 1)) for n in range(200))  # 2 atanh(1/3), to 2^-600


def number(text):
    return Q(float.fromhex(text) if "x" in text else float(text))


def array(file, name):
    """The numbers of a constant array in a source file, in order."""
    text = (SOURCES / file).read_text(encoding="utf-8")
    body = re.search(rf"\b{name}(?:\[\d*\])? = \{{(.*?)\}};", text, re.DOTALL)
    if not body:
        sys.exit(f"power-bound.py: {file} has no {name}")
    numbers = re.findall(r"-?(?:0x)?\d[0-9a-f.]*(?:p[+-]?\d+)?", body.group(1))
    return [number(one) for one in numbers]


def integers(file, name):
    """The numbers of an array of hexadecimal integers."""
    text = (SOURCES / file).read_text(encoding="utf-8")
    body = re.search(rf"\b{name}\[\] = \{{(.*?)\}};", text, re.DOTALL)
    if not body:
        sys.exit(f"power-bound.py: {file} has no {name}")
    return [int(one, 16) for one in re.findall(r"0x[0-9a-f]+", body.group(1))]


def constant(file, text):
    if text not in (SOURCES / file).read_text(encoding="utf-8"):
        sys.exit(f"power-bound.py: {file} has no constant {text}")
    return number(text)


def pairs(flat):
    return list(zip(flat[::2], flat[1::2]))


def distance(polynomial, series, low, high):
    """Not below |polynomial - series| on low ... high; both are coefficients, lowest first."""
    size = max(len(polynomial), len(series))
    padded = [p + [Q(0)] * (size - len(p)) for p in (polynomial, series)]
    middle, half = (low + high) / 2, (high - low) / 2
    # By Horner's rule in x = middle + half t, where t T(n) = (T(n-1) + T(n+1)) / 2.
    chebyshev = [Q(0)] * (size + 1)
    for a, b in reversed(list(zip(*padded))):
        times_t = [Q(0)] * (size + 1)
        for n, c in enumerate(chebyshev[:size]):
            times_t[n + 1] += c if n == 0 else c / 2
            if n > 0:
                times_t[n - 1] += c / 2
        chebyshev = [middle * c + half * t for c, t in zip(chebyshev, times_t)]
        chebyshev[0] += a - b
    return sum(map(abs, chebyshev))


def magnitude(c, x, weight=lambda n: 1):
    """Not below |c[0]| weight(0) + |c[1]| weight(1) |x| + ... for magnitudes up to x."""
    return sum(weight(n) * abs(a) * x**n for n, a in enumerate(c))


def horner(c, x, product=U, total=U):
    """Rounding errors of c[0] + x (c[1] + ...) for magnitudes up to x, a product and a sum each."""
    largest, error = abs(c[-1]), Q(0)
    for one in reversed(c[:-1]):
        rest = x * largest
        largest = abs(one) + rest
        error = x * error + product * rest + total * largest
    return error


def kernel(exponential):
    """x^y; every multiply-add counts two roundings, which covers the fused one."""
    # s = f / (2 + f): two f32 roundings, a Newton step, one more step on the quotient's remainder.
    s = Q(17158, 100000)  # f = sqrt(2) - 1
    square = s * s
    quotient = 2 * U + (Q(2, 2**24) ** 2 + 2 * U) ** 2
    c = array(KERNELS + "logarithm.hpp", "precise_logarithm_coefficients")
    weighted = [Q(0)] + [a / 2 for a in c]  # relative: s^3 of 2 s
    atanh = [Q(0)] + [Q(1, 2 * n + 3) for n in range(30)]
    series = distance(weighted, atanh, Q(0), square) + square**31
    moved = U * magnitude(c, square, lambda n: n + 3)  # s^2, s s^2 and the product with it rounded
    rounding = (horner(c, square) + moved) * square / 2 + U
    log = quotient / (1 - square) + series + rounding
    yield "log(1 + f) = 2 atanh s", log
    # k ln 2 + log(1 + f); k = 0 adds exact zeros.
    head = constant(KERNELS + "logarithm.hpp", "0x1.62e42fefa38p-1")
    tail = constant(KERNELS + "logarithm.hpp", "0x1.ef35793c7673p-45")
    assert head.numerator.bit_length() + 7 <= 53, "k times the head of ln 2 is exact"
    part = Q(346575, 10**6)  # |log(1 + f)|
    whole = LN2 - part
    log = (log * part + U * part + 128 * (abs(head + tail - LN2) + U * tail)) / whole + U
    yield "log x", log
    product = Q(8734, 100)
    yield "p = y log x, absolute", product * (log + U)
    error = Q(0)
    for name, step in exponential(product):
        yield name, step
        error += step
    yield "x^y", product * (log + U) + error


def exponential(product):
    """e^p for |p| <= product."""
    yield from reduced(product, "exponential_coefficients", "0x1.62e42fefa39efp-1", 1)


def exponential_by_roots(product):
    """The same with 16 roots of two."""
    errors = []
    for j, bits in enumerate(integers(KERNELS + "exponential.hpp", "roots_of_two")):
        root = Q(struct.unpack("<d", struct.pack("<Q", bits + (j << 48)))[0])
        errors.append(abs(root**16 / 2**j - 1) / 15)  # nearly 16 times the root's own error
    assert len(errors) == 16 and max(errors) < 2 * U, "the nearest f64 to each 2^(j/16)"
    yield "2^(j/16), and its product", max(errors) + U
    yield from reduced(product, "root_coefficients", "0x1.62e42fefa39efp-5", 16)


def reduced(product, coefficients, part, parts):
    """p = n ln(2)/parts + r, and e^r."""
    part = constant(KERNELS + "exponential.hpp", part)
    r = Q(34658, 100000) / parts
    reduction = 127 * parts * abs(part - LN2 / parts) + U * (product + 1) + U * r
    yield "r = p - n ln(2)/parts, abs.", reduction
    c = array(KERNELS + "exponential.hpp", coefficients)
    inverse = [Q((-1) ** n, math.factorial(n)) for n in range(25)]  # of e^-r
    ratio = [Q(0)] * (len(c) + len(inverse))
    for i, a in enumerate(c):
        for j, b in enumerate(inverse):
            ratio[i + j] += a * b
    error = distance(ratio, [Q(1)], -r, r) + 2 * r**25 / math.factorial(25)
    error += horner(c, r) * Q(142, 100)  # e^-r at most
    yield "e^r from the polynomial", error


class Double:
    """Relative errors of a number type's operations; `single`: the second operand is a double."""

    add = add_single = multiply = multiply_single = divide = constant = U

    @staticmethod
    def series(file, name, terms, paired, x):
        c = [sum(pair) for pair in pairs(array(file, name))][:terms]
        return horner(c, x) + U * magnitude(c, x)


class DoubleDouble:
    """The bounds of src/element/double_double.hpp."""

    add, add_single, multiply, multiply_single, divide, constant = (
        n * U * U for n in (3, 2, 4, 2, 15, 1)
    )

    @classmethod
    def series(cls, file, name, terms, paired, x):
        c = [high + low for high, low in pairs(array(file, name))]
        tail = c[paired:]  # in double, coefficients and x too
        start = x**paired * (horner(tail, x) + U * magnitude(tail, x, lambda n: n + 1))
        c = c[:paired] + [magnitude(tail, x)]
        return horner(c, x, cls.multiply, cls.add) + cls.constant * magnitude(c, x) + start


def logarithm(x):
    """log x for 1/2 <= x <= 2, to 2^-190."""
    t = (x - 1) / (x + 1)
    return sum(2 * t ** (2 * n + 1) / (2 * n + 1) for n in range(60))


def check_constants():
    """The constants of the scalar functions are their values, each to 2^-106."""
    log, exp = "element/logarithm_kernel.hpp", "element/exponential_kernel.hpp"
    flat = array(log, "logarithm_table")
    found = [(sum(flat[n + 1 : n + 3]), -logarithm(flat[n])) for n in range(0, len(flat), 3)]
    series = pairs(array(log, "atanh_series"))
    found += [(sum(pair), Q(1, 2 * n + 1)) for n, pair in enumerate(series)]
    series = pairs(array(exp, "growth_series"))
    found += [(sum(pair), Q(1, math.factorial(n + 1))) for n, pair in enumerate(series)]
    # (1 + e)^32 is 1 + 32 e
    powers = [(sum(pair), i) for i, pair in enumerate(pairs(array(exp, "power_table")))]
    found += [(1 + (a**32 / 2**i - 1) / 32, Q(1)) for a, i in powers]
    found.append((sum(array(log, "ln2")), LN2))
    found.append((sum(array(exp, "step_tail")), LN2 / 32 - constant(exp, "0x1.62e42fefap-6")))
    wrong = [float(value) for have, value in found if abs(have - value) > U * U * abs(value)]
    if wrong:
        sys.exit(f"power-bound.py: these constants are not what they should be: {wrong}")


def scalar(number_type, log_terms, exp_terms):
    """logarithm_kernel.hpp and exponential_kernel.hpp, for a number type and its terms."""
    t = number_type
    file = "element/logarithm_kernel.hpp"
    flat = array(file, "logarithm_table")
    table = [flat[n : n + 3] for n in range(0, len(flat), 3)]
    ends = [(Q(2 * i - 1, 64), Q(2 * i + 1, 64)) for i in range(24, 49)]
    ends[0], ends[-1] = (Q(3, 4), ends[0][1]), (ends[-1][0], Q(3, 2))
    z = max(abs(m * row[0] - 1) for row, two in zip(table, ends) for m in two)
    f = z / (2 - z)
    # z is exact: 24 bits times 10, less 1
    quotient = (t.add_single + t.divide) / (1 - f * f)
    truncation = (f * f) ** log_terms
    evaluation = t.series(file, "atanh_series", log_terms, 4, f * f) + t.multiply * (1 + f * f)
    series = quotient + truncation + evaluation
    yield "log(1 + z) = 2 atanh f", series
    share = 2 * f * (1 + f * f)  # |2 atanh f|
    error = series + t.add  # k = 0 and r = 1
    for row, (low, high) in zip(table, ends):
        if row[0] == 1:
            continue
        least = min(1 - m if m < 1 else 1 - 1 / m for m in (low, high))  # |log m|
        known = abs(row[1])
        error = max(error, (t.constant * known + t.add * known + series * share) / least + t.add)
    # k = 1 and -1; relative to the result, the error of a larger k is smaller.
    known, least = LN2 + Q(4071, 10000), LN2 - Q(40547, 100000)
    sums = (t.constant + t.multiply_single) * LN2 + (t.constant + t.add) * known
    error = max(error, (sums + series * share) / least + t.add)
    yield "log x", error
    product = Q(1046, 10)
    yield "p = y log x, absolute", product * (error + t.multiply_single)
    file = "element/exponential_kernel.hpp"
    head = constant(file, "0x1.62e42fefap-6")
    tail = array(file, "step_tail")[0]
    n = int(product / head) + 1
    assert head.numerator.bit_length() + n.bit_length() <= 53, "n times the head is exact"
    r = LN2 / 64 + Q(1, 10**6)
    reduction = (t.add_single + t.add) * r + n * tail * (t.constant + t.multiply_single)
    yield "r = p - n ln(2)/32, abs.", reduction
    truncation = 2 * r**exp_terms / math.factorial(exp_terms + 1)
    growth = t.series(file, "growth_series", exp_terms, 6, r) + truncation + 2 * t.multiply
    growth = 2 * r * growth + t.constant + t.add  # relative to table (1 + growth)
    yield "e^r from the table", growth
    yield "x^y", product * (error + t.multiply_single) + reduction + growth


EVALUATIONS = (
    ("kernel, f64 lanes", kernel(exponential), -42),
    ("kernel, AVX-512", kernel(exponential_by_roots), -42),
    ("scalar, double", scalar(Double, 5, 7), -38),
    ("scalar, DoubleDouble", scalar(DoubleDouble, 8, 12), -90),
)


def main():
    argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python3 tools/power-bound.py",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()
    check_constants()
    proved = True
    for name, steps, wanted in EVALUATIONS:
        print(f"{name}: relative error of")
        for step, error in steps:
            error *= SECOND_ORDER
            print(f"  {step:<28} 2^{math.log2(error):.1f}")
        proved = proved and error < Q(2) ** wanted
        print(f"  {'below 2^' + str(wanted):<28} {'yes' if error < Q(2) ** wanted else 'NO'}")
    return 0 if proved else 1


if __name__ == "__main__":
    sys.exit(main())
