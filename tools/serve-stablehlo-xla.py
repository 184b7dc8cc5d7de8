#!/usr/bin/env python3
"""Compiles a StableHLO module once with XLA and runs it for every request on standard input.

static.bin holds the leading arguments of @main, each as u32 rank, u32 extents, data; all of
it little-endian, data in the element type of the signature. The manifest's key `dynamic`
lists the shapes of the trailing arguments. A request is the dynamic arguments as raw bytes,
its reply all results as raw bytes, in order and with nothing between; i1 takes one byte.
Input that ends between requests ends the server with 0. JAX_PLATFORMS picks the platform,
cpu when it is not set. Logs go to standard error.
"""

import errno
import fcntl
import gc
import json
import os
import stat
import struct
import sys
import time

from tool_process import CommandLine, ToolError, claim_standard_output, read_text, run_tool

PIPE_BYTES = 1 << 20  # what Linux grants an ordinary user
VECTOR_LIMIT = os.sysconf("SC_IOV_MAX")


def read_manifest(path):
    """The shapes under `dynamic`."""
    try:
        manifest = json.loads(read_text(path))
    except (ValueError, RecursionError) as fault:
        raise ToolError(f"{path}: not JSON: {fault}") from None
    shapes = manifest.get("dynamic") if isinstance(manifest, dict) else None
    if not isinstance(shapes, list) or not all(
        isinstance(shape, list) and all(type(extent) is int and extent >= 0 for extent in shape)
        for shape in shapes
    ):
        raise ToolError(
            f'{path}: wants {{"dynamic": [[2, 3], [4]]}}, the trailing arguments\' shapes'
        )
    return [tuple(shape) for shape in shapes]


def split_arguments(program, shapes, manifest_path):
    """Number of static arguments, once the dynamic shapes agree with the signature."""
    from stablehlo_runtime import shape_text

    static_count = len(program.arguments) - len(shapes)
    if static_count < 0:
        raise ToolError(
            f"{manifest_path}: {len(shapes)} dynamic shapes, @main takes {len(program.arguments)}"
            " arguments"
        )
    for position, shape in enumerate(shapes, static_count):
        wanted = program.arguments[position]
        if shape != wanted.shape:
            raise ToolError(
                f"{manifest_path}: dynamic shape {position - static_count} is {shape_text(shape)}, "
                f"argument {position} of @main is {wanted}"
            )
    if not sum(t.byte_count for t in program.arguments[static_count:]):
        raise ToolError(
            f"{manifest_path}: no dynamic argument has elements, so a request has no bytes"
        )
    return static_count


def read_static(path, types):
    """The leading arguments, each checked against its type in the signature."""
    from stablehlo_runtime import aligned_array, shape_text

    arrays = []
    try:
        with open(path, "rb") as file:

            def read_words(count, what):
                data = file.read(4 * count)
                if len(data) != 4 * count:
                    raise ToolError(f"{path}: ends in the {what}")
                return struct.unpack(f"<{count}I", data)

            for position, wanted in enumerate(types):
                what = f"{{}} of tensor {position} ({wanted} in @main)"
                (rank,) = read_words(1, what.format("rank"))
                if rank != len(wanted.shape):
                    raise ToolError(
                        f"{path}: tensor {position} has rank {rank}, @main takes {wanted}"
                    )
                shape = read_words(rank, what.format("extents"))
                if shape != wanted.shape:
                    raise ToolError(
                        f"{path}: tensor {position} is {shape_text(shape)}, @main takes {wanted}"
                    )
                array = aligned_array(wanted)
                if file.readinto(byte_view(array)) != wanted.byte_count:
                    raise ToolError(f"{path}: ends in the {what.format('data')}")
                check_predicates(array, wanted, f"{path}: tensor {position}")
                arrays.append(array)
            if file.read(1):
                raise ToolError(f"{path}: goes on after the {len(types)} static arguments")
    except OSError as fault:
        raise ToolError(f"{path}: cannot be read: {fault.strerror}") from None
    return arrays


def byte_view(array):
    return memoryview(array.reshape(-1).view("u1"))


def check_predicates(array, tensor_type, where):
    if tensor_type.element == "i1" and (array.view("u1") > 1).any():
        raise ToolError(f"{where}: a byte of i1 is 0 or 1")


def transfer(operation, descriptor, views):
    """os.readv or os.writev until all views are done; fewer bytes only at the end of input."""
    moved = 0
    while views:
        count = operation(descriptor, views[:VECTOR_LIMIT])
        if not count:
            break
        moved += count
        done = 0
        while done < len(views) and count >= len(views[done]):
            count -= len(views[done])
            done += 1
        views = views[done:]
        if count:
            views[0] = views[0][count:]
    return moved


def widen_pipe(descriptor):
    """A request larger than a pipe's 64 KiB costs a switch of process for every piece."""
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        except OSError as fault:
            if fault.errno not in (errno.EPERM, errno.EBUSY):
                raise


def serve(module_path, static_path, manifest_path):
    output = claim_standard_output()
    from stablehlo_runtime import XlaExecutable, aligned_array, load_program, xla_device

    program = load_program(read_text(module_path), module_path)
    shapes = read_manifest(manifest_path)
    static_count = split_arguments(program, shapes, manifest_path)
    static_arrays = read_static(static_path, program.arguments[:static_count])
    device = xla_device()
    print(f"compiling on {device.platform} ({device.device_kind})", file=sys.stderr, flush=True)
    started = time.perf_counter()
    executable = XlaExecutable(program)
    placed = [executable.send(array, position) for position, array in enumerate(static_arrays)]
    dynamic = [
        (position, program.arguments[position], aligned_array(program.arguments[position]))
        for position in range(static_count, len(program.arguments))
    ]
    predicates = [entry for entry in dynamic if entry[1].element == "i1"]
    views = [byte_view(array) for _, _, array in dynamic if array.size]
    request_bytes = sum(map(len, views))
    reply_bytes = sum(t.byte_count for t in program.results)
    for descriptor in (0, output):
        widen_pipe(descriptor)
    gc.freeze()  # what is loaded stays loaded: no collection walks it again
    print(
        f"serving: compiled in {time.perf_counter() - started:.3f} s, "
        f"{request_bytes} bytes a request, {reply_bytes} bytes a reply",
        file=sys.stderr,
        flush=True,
    )
    while True:
        count = transfer(os.readv, 0, views)
        if count == 0:
            return 0
        if count != request_bytes:
            raise ToolError(f"input ended {count} bytes into a request of {request_bytes}")
        for position, tensor_type, array in predicates:
            check_predicates(array, tensor_type, f"argument {position}")
        # Placed anew each time: a placed array promises that its bytes stay as they are.
        arguments = placed + [executable.send(array, position) for position, _, array in dynamic]
        results = executable.execute(arguments)
        del arguments
        transfer(
            os.writev, output, [executable.bytes_of(result) for result in results if result.size]
        )


def main():
    command = CommandLine(
        __doc__, "serve-stablehlo-xla.py module.mlir static.bin manifest.json < requests > replies"
    )
    command.add_argument("module", help="StableHLO text with a function @main")
    command.add_argument("static", help="the leading arguments: u32 rank, u32 extents, data, each")
    command.add_argument("manifest", help='JSON, {"dynamic": [[256, 768], [1, 256]]}')
    options = command.parse_args()
    run_tool(lambda: serve(options.module, options.static, options.manifest))


if __name__ == "__main__":
    main()
