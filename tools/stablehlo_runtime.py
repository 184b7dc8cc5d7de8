"""StableHLO through jaxlib: parse and verify, the reference interpreter, and XLA.

Arrays are NumPy's, bf16 being ml_dtypes'. Faults are raised as ToolError.
"""

import functools
import math
import os
import re
import textwrap
import typing

import ml_dtypes
import numpy

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read once, when jaxlib loads

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, mhlo, sdy, stablehlo
from jaxlib.mlir.passmanager import PassManager

from tool_process import ToolError, one_line

ELEMENTS = {
    "f32": numpy.dtype(numpy.float32),
    "f64": numpy.dtype(numpy.float64),
    "bf16": numpy.dtype(ml_dtypes.bfloat16),
    "i1": numpy.dtype(numpy.bool_),
    "i32": numpy.dtype(numpy.int32),
    "i64": numpy.dtype(numpy.int64),
}


class TensorType(typing.NamedTuple):
    shape: tuple
    element: str

    def __str__(self):
        return f"{shape_text(self.shape)} {self.element}"

    @property
    def mlir(self):
        return "tensor<" + "".join(f"{extent}x" for extent in self.shape) + self.element + ">"

    @property
    def byte_count(self):
        return math.prod(self.shape) * ELEMENTS[self.element].itemsize


class Program(typing.NamedTuple):
    """A verified module: its text, its MLIR form and the signature of @main."""

    text: str
    module: ir.Module
    arguments: list
    results: list


def shape_text(shape):
    return "x".join(map(str, shape)) or "-"


# --- Parsing ---------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _context():
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)  # func, arith and the rest of upstream
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for register in (
        stablehlo.register_dialect,
        chlo.register_dialect,
        sdy.register_dialect,
        mhlo.register_mhlo_dialect,
    ):
        register(context)
    return context


def parse_module(text, name):
    """Parses and verifies; `name` stands for the file in the diagnostic."""
    with _context():
        try:
            module = ir.Module.parse(text)
            module.operation.verify()
        except ir.MLIRError as fault:
            raise ToolError(_diagnostic(fault, text, name)) from None
    return module


def _diagnostic(fault, text, name):
    """One line; with the line of source, as a verifier's message may not name the operation."""
    lines = text.split("\n")
    parts = []
    for diagnostic in fault.error_diagnostics:
        place = re.match(r'loc\("-":(\d+):(\d+)', str(diagnostic.location))
        where, source = name, ""
        if place and int(place[1]) <= len(lines):
            where = f"{name}:{place[1]}:{place[2]}"
            source = f" [at: {textwrap.shorten(lines[int(place[1]) - 1], 120)}]"
        notes = "".join(f" ({one_line(note.message)})" for note in diagnostic.notes)
        parts.append(f"{where}: {one_line(diagnostic.message)}{notes}{source}")
    return "; ".join(parts) or f"{name}: {one_line(fault)}"


def load_program(text, name="module"):
    """Parses, verifies and reads the signature of @main."""
    module = parse_module(text, name)
    with _context():
        for operation in module.body.operations:
            attributes = operation.operation.attributes
            if operation.operation.name != "func.func" or attributes["sym_name"].value != "main":
                continue
            signature = attributes["function_type"].value
            return Program(
                text,
                module,
                [_tensor_type(t, name, f"argument {i}") for i, t in enumerate(signature.inputs)],
                [_tensor_type(t, name, f"result {i}") for i, t in enumerate(signature.results)],
            )
    raise ToolError(f"{name}: has no function @main")


def _tensor_type(mlir_type, name, what):
    if not isinstance(mlir_type, ir.RankedTensorType) or not mlir_type.has_static_shape:
        raise ToolError(f"{name}: {what} of @main is {mlir_type}, not a tensor of static shape")
    element = str(mlir_type.element_type)
    if element not in ELEMENTS:
        known = ", ".join(ELEMENTS)
        raise ToolError(f"{name}: {what} of @main is {mlir_type}; elements served: {known}")
    return TensorType(tuple(mlir_type.shape), element)


def check_arguments(program, arrays):
    if len(arrays) != len(program.arguments):
        raise ToolError(f"@main takes {len(program.arguments)} arguments, {len(arrays)} are given")
    for position, (array, wanted) in enumerate(zip(arrays, program.arguments)):
        if array.shape != wanted.shape or array.dtype != ELEMENTS[wanted.element]:
            given = f"{shape_text(array.shape)} {array.dtype}"
            raise ToolError(f"argument {position} is {given}, @main takes {wanted}")


# --- The reference interpreter ---------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _legalize_chlo():
    stablehlo.register_stablehlo_passes()
    return PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))")


def prepare_to_interpret(program):
    """Spells chlo operations in StableHLO, in place; the interpreter knows no others. A
    module without them is left alone: the pass may fold what the interpreter should see."""
    found = []

    def visit(operation):
        if operation.name.startswith("chlo."):
            found.append(operation.name)
        return ir.WalkResult.ADVANCE

    with _context(), ir.Location.unknown():
        program.module.operation.walk(visit)
        if found:
            try:
                _legalize_chlo().run(program.module.operation)
            except ir.MLIRError as fault:
                raise ToolError(
                    f"{found[0]} has no StableHLO spelling: {one_line(fault)}"
                ) from None
    return program


def interpret(program, arrays):
    """Evaluates @main. May end the process: see tool_process."""
    check_arguments(program, arrays)
    with _context(), ir.Location.unknown():
        dense = [_dense(a.tobytes(), t) for a, t in zip(arrays, program.arguments)]
        results = stablehlo.eval_module(program.module, dense)
        return [_array(r, t) for r, t in zip(results, program.results)]


def _dense(data, tensor_type):
    literal = f'dense<"0x{data.hex()}">' if data else "dense<>"
    return ir.Attribute.parse(f"{literal} : {tensor_type.mlir}")


def _array(dense, tensor_type):
    if tensor_type.element == "bf16":  # no NumPy format of its own: leave as integers
        dense = stablehlo.eval_module(_bf16_to_bits(tensor_type), [dense])[0]
        return numpy.array(dense).view(ELEMENTS["bf16"]).reshape(tensor_type.shape)
    return numpy.array(dense).reshape(tensor_type.shape)


@functools.lru_cache(maxsize=64)
def _bf16_to_bits(tensor_type):
    bits = tensor_type._replace(element="ui16").mlir
    return ir.Module.parse(
        f"func.func @main(%a: {tensor_type.mlir}) -> {bits} {{"
        f" %b = stablehlo.bitcast_convert %a : ({tensor_type.mlir}) -> {bits}"
        f" return %b : {bits} }}"
    )


# --- XLA -------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _jax():
    """jax with its quiet, synchronous, 64-bit settings; JAX_PLATFORMS picks, else the CPU."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    jax.config.update("jax_enable_x64", True)
    # A caller waits for every result, so a hand-over to another thread is pure delay.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    return jax


@functools.lru_cache(maxsize=None)
def xla_device():
    try:
        return _jax().local_devices()[0]
    except RuntimeError as fault:
        platform = os.environ["JAX_PLATFORMS"]
        raise ToolError(f"no device for JAX_PLATFORMS={platform}: {one_line(fault)}") from None


class XlaExecutable:
    """A program compiled for the first device of the platform."""

    def __init__(self, program):
        from jaxlib import xla_client

        self.device = xla_device()
        self._put = xla_client.batched_device_put
        self._semantics = xla_client.HostBufferSemantics.ZERO_COPY
        self._sharding = _jax().sharding.SingleDeviceSharding(self.device)
        self._on_host = self.device.platform == "cpu"
        shaped = _jax().core.ShapedArray
        self._avals = [shaped(t.shape, ELEMENTS[t.element]) for t in program.arguments]
        try:
            self._executable = self.device.client.compile_and_load(
                program.text, xla_client.DeviceList((self.device,)), xla_client.CompileOptions()
            )
        except RuntimeError as fault:
            raise ToolError(f"XLA does not compile the module: {one_line(fault)}") from None

    def send(self, array, position):
        """Places an argument. The array may be read until its last execution has returned."""
        # Positions past the array: committed, no forced copy, 64-bit types stay.
        placed = self._put(
            self._avals[position],
            self._sharding,
            [array],
            [self.device],
            True,
            False,
            self._semantics,
            True,
        )
        return placed if self._on_host else placed.block_until_ready()

    def execute(self, arguments):
        """Runs on placed arguments; returns one device array for each result."""
        try:
            results = self._executable.execute_sharded(arguments)
            return [shard[0] for shard in results.disassemble_into_single_device_arrays()]
        except RuntimeError as fault:
            raise ToolError(f"XLA does not run the module: {one_line(fault)}") from None

    def bytes_of(self, result):
        """A flat view of a result's bytes on the host."""
        if self._on_host and result.size and result.dtype != ELEMENTS["bf16"]:
            return memoryview(result).cast("B")
        return memoryview(numpy.asarray(result).reshape(-1).view(numpy.uint8))


def aligned_array(tensor_type):
    """An array at a 64-byte boundary: XLA's CPU client then reads it in place."""
    count = tensor_type.byte_count
    storage = numpy.zeros(count + 64, dtype=numpy.uint8)
    start = -storage.ctypes.data % 64
    flat = storage[start : start + count].view(ELEMENTS[tensor_type.element])
    return flat.reshape(tensor_type.shape)


def run_xla(executable, program, arrays):
    """Runs once, arrays in and arrays out."""
    check_arguments(program, arrays)
    placed = [executable.send(array, position) for position, array in enumerate(arrays)]
    return [numpy.asarray(result) for result in executable.execute(placed)]
