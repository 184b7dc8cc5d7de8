"""Tests of the Python tools: each is run as its callers run it, and compared by bits.

build/python/bin/python tests/tools/tools_test.py
"""

import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, "tools")
PROTOCOL_TOOLS = (
    "validate-stablehlo.py",
    "eval-stablehlo.py",
    "run-stablehlo-xla.py",
    "serve-stablehlo-xla.py",
)
PATIENCE = 120  # seconds after which a tool hangs

ADD = """
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<f32>) {
  %sum = stablehlo.add %a, %b : tensor<2x2xf32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  return %sum, %half : tensor<2x2xf32>, tensor<f32>
}
"""
ERF = """
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.erf %a : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
UNVERIFIABLE = """
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
DIVIDE_INTEGERS = """
func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.divide %a, %b : tensor<i32>
  return %0 : tensor<i32>
}
"""
CUSTOM_CALL = """
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @unheard_of(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""


def identity(*types):
    names = [f"%a{index}" for index in range(len(types))]
    listed = ", ".join(types)
    parameters = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types))
    return f"func.func @main({parameters}) -> ({listed}) {{ return {', '.join(names)} : {listed} }}"


def tensor(shape, element, data):
    return {"shape": shape, "element": element, "bytes": data.hex()}


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


class ToolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def run_tool(self, name, *arguments, data=b"", environment=None):
        return subprocess.run(
            [sys.executable, os.path.join(TOOLS, name), *arguments],
            input=data,
            capture_output=True,
            timeout=PATIENCE,
            env={**os.environ, **(environment or {})},
        )

    def assert_one_line_error(self, done, status, *parts):
        error = done.stderr.decode()
        self.assertEqual(done.returncode, status, error)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(error.count("\n"), 1, error)
        for part in parts:
            self.assertIn(part, error)


class CommandLineTest(ToolTest):
    def test_help_carries_an_example(self):
        for name in (*PROTOCOL_TOOLS, "make-names-corpus.py"):
            with self.subTest(name):
                done = self.run_tool(name, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertIn("example:\n", done.stdout.decode())

    def test_a_wrong_command_line_is_one_line_and_exit_2(self):
        for name in PROTOCOL_TOOLS:
            with self.subTest(name):
                self.assert_one_line_error(self.run_tool(name), 2, name, "--help")
        self.assert_one_line_error(
            self.run_tool("eval-stablehlo.py", "--serve", "m.mlir"), 2, "--serve"
        )

    def test_a_missing_file_is_named(self):
        module = self.file("m.mlir", ADD)
        for name in ("eval-stablehlo.py", "run-stablehlo-xla.py"):
            with self.subTest(name):
                self.assert_one_line_error(
                    self.run_tool(name, "/no/such.mlir", "/no/args.txt"),
                    1,
                    "/no/such.mlir",
                    "No such file",
                )
                self.assert_one_line_error(
                    self.run_tool(name, module, "/no/args.txt"), 1, "/no/args.txt"
                )


class ValidateTest(ToolTest):
    def validate(self, text):
        return self.run_tool("validate-stablehlo.py", self.file("m.mlir", text))

    def test_stablehlo_and_chlo_are_accepted(self):
        for text in (ADD, ERF):
            done = self.validate(text)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"parsed OK\n", b""))

    def test_a_syntax_error_is_placed(self):
        self.assert_one_line_error(self.validate("\njunk"), 1, "m.mlir:2:1:", "junk")

    def test_what_parses_and_does_not_verify_is_refused(self):
        self.assert_one_line_error(self.validate(UNVERIFIABLE), 1, "m.mlir:3:8:", "reshape")

    def test_text_that_is_not_utf8_is_refused(self):
        self.assert_one_line_error(self.validate(b"\xff"), 1, "UTF-8")

    def test_deep_nesting_is_refused(self):
        self.assert_one_line_error(self.validate("func.func @main() -> " + "tuple<" * 200000), 1)


class EvaluateTest(ToolTest):
    TOOLS = ("eval-stablehlo.py", "run-stablehlo-xla.py")

    def evaluate(self, name, module, arguments):
        return self.run_tool(name, self.file("m.mlir", module), self.file("args.txt", arguments))

    def assert_prints(self, module, arguments, expected, tools=TOOLS):
        for name in tools:
            with self.subTest(name):
                done = self.evaluate(name, module, arguments)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(done.stdout.decode(), expected)

    def test_a_sum_and_a_constant(self):
        self.assert_prints(
            ADD, "2x2 1 2 3 4\n\n2x2 0.5 -2 1e-3 .25\n", "2x2 1.5 0.0 3.001 4.25\n- 0.5\n"
        )

    def test_erf_is_evaluated(self):
        # erf(0) = 0, and its approximation is exact at the saturated ends; 0.5204999 is
        # erf(0.5) = 0.52049987... rounded to f32.
        self.assert_prints(ERF, "3 0 0.5 -inf\n", "3 0.0 0.5204999 -1.0\n")

    def test_zero_extents(self):
        module = identity("tensor<0x3xf32>", "tensor<2x0xbf16>", "tensor<f64>")
        self.assert_prints(module, "0x3 \n2x0\n- 2\n", "0x3\n2x0\n- 2.0\n")

    def test_non_finite_values_and_signed_zeros(self):
        for element in ("f32", "f64", "bf16"):
            self.assert_prints(
                identity(f"tensor<5x{element}>"),
                "5 inf -inf nan 0 -0.0\n",
                "5 inf -inf nan 0.0 -0.0\n",
            )

    def test_extreme_values_pass_through_unchanged(self):
        for element, words in {
            "f32": "3.4028235e+38 1e-45 1.1754944e-38 0.1 1.6777216e+07",
            "f64": "1.7976931348623157e+308 5e-324 0.1 9007199254740993e0 1e+300",
            "bf16": "3.39e+38 9e-41 0.1 1.01 256.0",
        }.items():
            expected = words.replace("9007199254740993e0", "9007199254740992.0")
            self.assert_prints(identity(f"tensor<5x{element}>"), f"5 {words}\n", f"5 {expected}\n")

    def test_integers_and_predicates(self):
        module = identity("tensor<2xi32>", "tensor<2xi64>", "tensor<3xi1>")
        text = "2 -2147483648 2147483647\n2 -9223372036854775808 9223372036854775807\n3 1 0 1\n"
        self.assert_prints(module, text, text)

    def test_a_decimal_is_rounded_once(self):
        # Each lies so close above or below the middle of two neighbours that rounding to
        # f64 first gives exactly the middle, which a second rounding takes to even.
        above_f32 = "1.00000005960464477539062500000001"
        below_f32 = "1.00000017881393432617187499999999"
        # The last pair lies on either side of the middle of f32's largest value and 2^128.
        above_bf16 = "1.00390625000000000000000000000001"
        self.assert_prints(
            identity("tensor<2xf32>"), f"2 {above_f32} {below_f32}\n", "2 1.0000001 1.0000001\n"
        )
        self.assert_prints(
            identity("tensor<3xbf16>"),
            f"3 {above_bf16} 1.00390625 1.003906250001\n",
            "3 1.01 1.0 1.01\n",
        )
        self.assert_prints(
            identity("tensor<2xf32>"),
            "2 3.4028235677973367e38 3.4028235677973366e38\n",
            "2 inf 3.4028235e+38\n",
        )

    def test_every_finite_bf16_reads_back(self):
        sys.path.insert(0, TOOLS)
        self.addCleanup(sys.path.remove, TOOLS)
        import numpy
        from stablehlo_runtime import ELEMENTS, TensorType
        from tensor_text import format_tensor, parse_tensors

        bits = numpy.arange(65536, dtype=numpy.uint16)
        values = bits[(bits & 0x7F80) != 0x7F80].view(ELEMENTS["bf16"])
        wanted = TensorType(values.shape, "bf16")
        (again,) = parse_tensors(format_tensor(values, "bf16"), [wanted], "text")
        self.assertEqual(again.tobytes(), values.tobytes())

    def test_malformed_arguments_are_refused(self):
        for arguments, parts in {
            "2x2 1 2 3 4\n": ("holds 1 tensors", "takes 2 arguments"),
            "2x2 1 2 3 4\n2x2 1 2 3\n": ("args.txt:2:", "holds 4 values, 3 are given"),
            "2x2 1 2 3 4\n4 1 2 3 4\n": ("args.txt:2:", "argument 1", "2x2 f32"),
            "2x2 1 2 3 4\n2x2 1 2 3 x\n": ("args.txt:2:", "'x'"),
            "2x2 1 2 3 4\n2x2 1 2 3 1_0\n": ("args.txt:2:", "'1_0'"),
            "2by2 1 2 3 4\n2x2 1 2 3 4\n": ("args.txt:1:", "'2by2'"),
        }.items():
            with self.subTest(arguments):
                self.assert_one_line_error(
                    self.evaluate("eval-stablehlo.py", ADD, arguments), 1, *parts
                )
        self.assert_one_line_error(
            self.evaluate("run-stablehlo-xla.py", identity("tensor<i32>"), "- 2147483648\n"),
            1,
            "2147483648",
        )
        self.assert_one_line_error(
            self.evaluate("eval-stablehlo.py", identity("tensor<i1>"), "- 2\n"), 1, "'2'"
        )

    def test_bad_modules_are_refused(self):
        for name in self.TOOLS:
            for module, part in {
                "junk": "m.mlir:1:1:",
                UNVERIFIABLE: "reshape",
                "func.func @other() { return }": "no function @main",
                identity("tensor<?xf32>"): "static shape",
                identity("tensor<2xf16>"): "elements served",
                CUSTOM_CALL: "unheard_of",
            }.items():
                with self.subTest(tool=name, module=module):
                    self.assert_one_line_error(self.evaluate(name, module, "- 1\n"), 1, part)

    def test_a_fatal_error_of_the_interpreter_is_one_line(self):
        self.assert_one_line_error(
            self.evaluate("eval-stablehlo.py", DIVIDE_INTEGERS, "- 1\n- 0\n"), 1, "division by zero"
        )

    def test_an_unknown_platform_is_one_line(self):
        done = self.run_tool(
            "run-stablehlo-xla.py",
            self.file("m.mlir", ADD),
            self.file("args.txt", "2x2 1 2 3 4\n2x2 1 2 3 4\n"),
            environment={"JAX_PLATFORMS": "abacus"},
        )
        self.assert_one_line_error(done, 1, "JAX_PLATFORMS=abacus")


class EvaluationServerTest(ToolTest):
    def serve(self, *requests):
        lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in requests]
        done = self.run_tool("eval-stablehlo.py", "--serve", data=b"\n".join(lines) + b"\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        replies = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(replies), len(requests))
        return replies

    def test_requests_are_answered_by_bits_in_both_engines(self):
        bits = {
            "f32": struct.pack("<3I", 0x7FC12345, 0x80000000, 0x00000001),
            "f64": struct.pack("<3Q", 0x7FF8000000000123, 1 << 63, 1),
            "bf16": struct.pack("<3H", 0x7FC1, 0x8000, 0x0001),
            "i1": b"\1\0\1",
            "i32": struct.pack("<3i", -1, 2**31 - 1, -(2**31)),
            "i64": struct.pack("<3q", -1, 2**63 - 1, -(2**63)),
        }
        module = identity(*(f"tensor<3x{e}>" for e in bits), "tensor<0x2xf32>", "tensor<bf16>")
        arguments = [tensor([3], element, data) for element, data in bits.items()]
        arguments += [tensor([0, 2], "f32", b""), tensor([], "bf16", b"\x80\x3f")]
        request = {"module": module, "arguments": arguments}
        for reply in self.serve(request, {**request, "xla": True}, {**request, "xla": False}):
            self.assertEqual(reply, {"results": arguments})

    def test_the_same_module_serves_other_arguments(self):
        def request(value):
            return {"module": ADD, "arguments": [tensor([2, 2], "f32", floats(*[value] * 4))] * 2}

        for value, reply in zip((1.0, 0.25), self.serve(request(1.0), request(0.25))):
            self.assertEqual(reply["results"][0], tensor([2, 2], "f32", floats(*[2 * value] * 4)))

    def test_erf_in_both_engines(self):
        request = {"module": ERF, "arguments": [tensor([3], "f32", floats(0.0, 0.5, -0.5))]}
        zero, half = floats(0.0).hex(), struct.pack("<f", 0.5204999).hex()
        minus_half = struct.pack("<f", -0.5204999).hex()
        for reply in self.serve(request, {**request, "xla": True}):
            self.assertEqual(reply["results"][0]["bytes"], zero + half + minus_half)

    def test_parse_only(self):
        good, bad, unverifiable = self.serve(
            {"module": ERF, "parse_only": True},
            {"module": "junk", "parse_only": True},
            {"module": UNVERIFIABLE, "parse_only": True},
        )
        self.assertEqual(good, {"parsed": True})
        self.assertIn("module:1:1:", bad["error"])
        self.assertIn("reshape", unverifiable["error"])

    def test_a_bad_request_ends_no_server(self):
        one, zero = (tensor([], "i32", struct.pack("<i", value)) for value in (1, 0))
        good = {"module": DIVIDE_INTEGERS, "arguments": [one, one]}
        pairs = {
            "JSON": b"{",
            "nested": b"[" * 100000,
            "object": [1],
            "junk": {"module": "junk"},
            "division by zero": {"module": DIVIDE_INTEGERS, "arguments": [one, zero]},
            "unheard_of": {"module": CUSTOM_CALL, "arguments": [tensor([], "f32", floats(1.0))]},
            "2 arguments, 1 are given": {"module": DIVIDE_INTEGERS, "arguments": [one]},
            "argument 1 is 1 int32": {
                "module": DIVIDE_INTEGERS,
                "arguments": [one, {**one, "shape": [1]}],
            },
            "takes 8 bytes, not 4": {"module": ADD, "arguments": [{**one, "element": "i64"}]},
            "no string of hex": {"module": ADD, "arguments": [{**one, "bytes": "xy"}]},
            '"shape" is a list': {"module": ADD, "arguments": [{**one, "shape": [-1]}]},
            '"element" is one of': {"module": ADD, "arguments": [{**one, "element": "f8"}]},
            "0 or 1": {"module": ADD, "arguments": [tensor([], "i1", b"\2")]},
            "not compile": {
                "module": CUSTOM_CALL,
                "arguments": [tensor([], "f32", floats(1.0))],
                "xla": True,
            },
        }
        requests = [request for bad in pairs.values() for request in (bad, good)]
        replies = self.serve(*requests)
        for part, reply in zip(pairs, replies[::2]):
            with self.subTest(part):
                self.assertNotIn("\n", reply["error"])
                self.assertIn("JSON" if part == "nested" else part, reply["error"])
        for reply in replies[1::2]:
            self.assertEqual(reply, {"results": [one]})


class XlaServerTest(ToolTest):
    SCALE = """
    func.func @main(%s: tensor<f64>, %m: tensor<2xi1>, %a: tensor<2xf64>, %b: tensor<2xbf16>)
        -> (tensor<2xf64>, tensor<0x1xf32>, tensor<2xbf16>, tensor<2xi1>) {
      %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %1 = stablehlo.multiply %0, %a : tensor<2xf64>
      %2 = stablehlo.constant dense<> : tensor<0x1xf32>
      return %1, %2, %b, %m : tensor<2xf64>, tensor<0x1xf32>, tensor<2xbf16>, tensor<2xi1>
    }
    """
    STATIC = struct.pack("<Id", 0, 3.0) + struct.pack("<II", 1, 2) + b"\1\0"

    def serve(self, data, module=SCALE, static=STATIC, manifest='{"dynamic": [[2], [2]]}'):
        return self.run_tool(
            "serve-stablehlo-xla.py",
            self.file("m.mlir", module),
            self.file("static.bin", static),
            self.file("manifest.json", manifest),
            data=data,
        )

    def request(self, first, second):
        return struct.pack("<2d", first, second) + b"\x80\x3f\xc1\x7f"

    def reply(self, first, second):
        return struct.pack("<2d", 3 * first, 3 * second) + b"\x80\x3f\xc1\x7f" + b"\1\0"

    def test_two_requests_then_the_end_of_input(self):
        done = self.serve(self.request(0.1, -0.0) + self.request(2.0, 1e300))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, self.reply(0.1, -0.0) + self.reply(2.0, 1e300))
        self.assertRegex(done.stderr.decode(), r"^compiling on cpu .*\nserving.*\n$")

    def test_no_request_at_all(self):
        done = self.serve(b"")
        self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_input_that_ends_inside_a_request(self):
        done = self.serve(self.request(1.0, 2.0) + b"\0" * 7)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, self.reply(1.0, 2.0))
        self.assertIn("ended 7 bytes into a request of 20", done.stderr.decode())

    def test_a_request_larger_than_a_pipe_holds(self):
        count = 1 << 20
        data = struct.pack("<f", 1.5) * count
        done = self.serve(
            data * 2, identity(f"tensor<{count}xf32>"), b"", f'{{"dynamic": [[{count}]]}}'
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, data * 2)

    def test_a_reply_comes_before_the_next_request(self):
        command = [sys.executable, os.path.join(TOOLS, "serve-stablehlo-xla.py")]
        command += [
            self.file("m.mlir", self.SCALE),
            self.file("static.bin", self.STATIC),
            self.file("manifest.json", '{"dynamic": [[2], [2]]}'),
        ]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        ) as server:
            for value in (1.0, 2.0, 3.0):
                wanted = self.reply(value, -value)
                request = self.request(value, -value)
                for byte in (request[:5], request[5:]):
                    server.stdin.write(byte)
                reply = b""
                while len(reply) < len(wanted):
                    piece = server.stdout.read(len(wanted) - len(reply))
                    self.assertTrue(piece, "the server ended")
                    reply += piece
                self.assertEqual(reply, wanted)
            server.stdin.close()
            self.assertEqual(server.wait(PATIENCE), 0)

    def test_faulty_files_are_refused(self):
        for faulty, parts in (
            ({"manifest": "{"}, ("manifest.json", "not JSON")),
            ({"manifest": "[]"}, ("manifest.json", "dynamic")),
            ({"manifest": '{"dynamic": [2]}'}, ("manifest.json", "dynamic")),
            ({"manifest": '{"dynamic": [[2], [3]]}'}, ("shape 1 is 3", "argument 3", "2 bf16")),
            ({"manifest": '{"dynamic": [[], [], [], [], []]}'}, ("5 dynamic", "takes 4")),
            ({"manifest": '{"dynamic": []}'}, ("no dynamic argument",)),
            ({"static": b"\0\0"}, ("static.bin", "ends in the rank of tensor 0")),
            ({"static": self.STATIC[:-1]}, ("ends in the data of tensor 1",)),
            ({"static": self.STATIC + b"\0"}, ("goes on after the 2",)),
            ({"static": struct.pack("<IIf", 1, 1, 3.0)}, ("tensor 0 has rank 1", "- f64")),
            ({"static": self.STATIC[:-1] + b"\2"}, ("0 or 1",)),
            ({"module": "junk"}, ("m.mlir:1:1:",)),
        ):
            with self.subTest(faulty):
                self.assert_one_line_error(self.serve(b"", **faulty), 1, *parts)


class PerformancePageTest(ToolTest):
    # what is measured; target, against, absolute; topos, torch, jax; the page's target and verdict
    ROWS = {
        "gemm/64": ("seconds", (1.0, "torch", None), (2.0, 3.0, 1.0), "1.00 x torch", "met"),
        "gemm/128": ("seconds", (1.0, "torch", None), (2.0, None, 4.0), "1.00 x torch", "-"),
        "chain/65536": ("seconds", (2.0, None, None), (1.0, 1.5, 4.0), "2.00", "not met"),
        "cnn/train": ("seconds", (2, "torch", 5), (1.0, 3.0, 9), "2.00 x torch, <= 5", "not met"),
        "makemore/first": ("seconds", (None, None, 2), (0.001, None, None), "<= 2", "met"),
        "record/1M": ("seconds", (None, None, 2), (1.0, None, None), ">= 2", "not met"),
        "memory/cnn/train": ("bytes", (1.0, None, None), (9.0, 8.0, 7.0), "1.00", "not met"),
        "map/sin/65536": ("seconds", (None, None, None), (1.0, 2.0, 2.0), "-", "-"),
    }

    def test_a_target_is_judged_by_the_peer_or_the_value_that_it_names(self):
        cases = []
        for name, (unit, (target, against, absolute), values, _, _) in self.ROWS.items():
            samples = {
                who: [{unit: value, "nodes": 1e6}]
                for who, value in zip(("topos", "torch", "jax"), values)
                if value is not None
            }
            cases.append(
                {
                    "row": name,
                    "threads": 1,
                    "target": target,
                    "against": against,
                    "absolute": absolute,
                    "samples": samples,
                    "skipped": {},
                }
            )
        names = ("processor", "vectors", "cores", "load", "system", "compiler", "commit")
        document = {
            "date": "2026-01-01",
            "machine": dict.fromkeys(names, "?"),
            "rounds": 1,
            "min_time": 0.1,
            "versions": {},
            "cases": cases,
        }
        run = self.file("bench.json", json.dumps(document))
        into = os.path.dirname(run)
        done = self.run_tool("performance-page.py", run, "--into", into)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(into, "performance.md"), encoding="utf-8") as file:
            page = " ".join(file.read().split())
        self.assertIn("Of 6 targets, 2 are met.", page)
        for name, (_, _, _, wanted, verdict) in self.ROWS.items():
            with self.subTest(name):
                row = rf"\| `{name}` \|[^`]*\| {re.escape(wanted)} \| {verdict} \|"
                self.assertRegex(page, row)


class PublicNamesTest(unittest.TestCase):
    HEADER = """// A gauge.
#pragma once

namespace topos {

class Gauge {
 public:
  explicit Gauge(int at);
  int level() const;  ///< in millimetres
  int unit() const;

 private:
  int hidden() const;
};

// Of two gauges.
int lower(const Gauge& a, const Gauge& b);
int upper(const Gauge& a, const Gauge& b);

namespace detail {
int helper();
}

struct Later;
#define TOPOS_LIMIT 3
#define TOPOS_LOCAL
#undef TOPOS_LOCAL

}  // namespace topos
"""
    USE = """// unit upper TOPOS_LIMIT
const int level = Gauge(1).level() + lower(Gauge(2), Gauge(3));
const char* text = "upper(unit)";
"""

    def report(self, header, use):
        with tempfile.TemporaryDirectory() as root:
            for name, text in (("include/topos/gauge.hpp", header), ("tests/gauge_test.cpp", use)):
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run(
                [sys.executable, os.path.join(TOOLS, "public_names.py"), "--root", root],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        return done

    def test_names_what_lacks_a_comment_or_a_use(self):
        done = self.report(self.HEADER, self.USE)
        self.assertEqual(done.returncode, 1, done.stderr)
        place = "include/topos/gauge.hpp"
        self.assertEqual(
            done.stdout.splitlines(),
            [
                f"{place}:10: topos::Gauge::unit: no comment says what it is; no test or example uses it",
                f"{place}:18: topos::upper: no test or example uses it",
                f"{place}:25: macro TOPOS_LIMIT: no comment says what it is; no test or example uses it",
            ],
        )
        self.assertEqual(done.stderr, "public_names.py: 3 of 6 public names lack something\n")

    def test_is_content_when_nothing_lacks(self):
        header = self.HEADER.replace("int unit() const;", "int unit() const;  ///< of level()")
        header = header.replace("TOPOS_LIMIT 3", "TOPOS_LIMIT 3  // gauges")
        use = self.USE + "int more = Gauge(1).unit() + upper(Gauge(2), Gauge(TOPOS_LIMIT));\n"
        done = self.report(header, use)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_header_that_does_not_compile_is_reported(self):
        done = self.report("int twice = undeclared;", "")
        self.assertEqual(done.returncode, 1)
        self.assertIn("undeclared", done.stderr)


class NamesCorpusTest(unittest.TestCase):
    def test_the_committed_file_is_the_one_described(self):
        with open(os.path.join(ROOT, "data", "names.txt"), "rb") as file:
            text = file.read()
        with open(os.path.join(ROOT, "data", "README.md"), encoding="utf-8") as file:
            readme = file.read()
        self.assertIn(hashlib.sha256(text).hexdigest(), readme)
        names = text.decode("ascii").splitlines()
        self.assertIn(f"{len(names):,} given names", readme)
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            self.assertRegex(name, "^[a-z]+$")

    def test_the_script_reproduces_the_committed_file(self):
        done = subprocess.run(
            [sys.executable, os.path.join(TOOLS, "make-names-corpus.py"), "--check"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        if "is needed" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
