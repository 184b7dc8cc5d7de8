#!/usr/bin/env python3
"""Evaluates a StableHLO module with the reference interpreter, once or as a server.

The arguments file holds one tensor a line: extents joined by x, - for rank 0, then row-major
decimals, as in `2x2 1.0 2.0 3.0 4.0`. Results print in the same form. CHLO operations are
first spelled in StableHLO by jaxlib's own pass.

With --serve, a request and its reply are one JSON object a line each:
  {"module": "<text>", "arguments": [{"shape": [2, 3], "element": "f32", "bytes": "<hex>"}]}
  {"results": [{"shape": [2, 3], "element": "f32", "bytes": "<hex>"}]}  or  {"error": "<line>"}
`bytes` is little-endian and row-major; i1 takes one byte, 0 or 1. With "xla": true the
module is compiled and run by XLA instead; with "parse_only": true it is only parsed and
verified, and the reply is {"parsed": true}. A bad module ends no server.
"""

import functools
import json
import sys

from tool_process import (
    CommandLine,
    ToolError,
    Worker,
    claim_standard_output,
    missing_module,
    one_line,
    read_text,
    run_guarded_tool,
    run_tool,
    write_all,
)


def evaluate_file(module_path, arguments_path):
    output = claim_standard_output()
    from stablehlo_runtime import interpret, load_program, prepare_to_interpret
    from tensor_text import format_tensor, parse_tensors

    program = prepare_to_interpret(load_program(read_text(module_path), module_path))
    arguments = parse_tensors(read_text(arguments_path), program.arguments, arguments_path)
    results = interpret(program, arguments)
    lines = [format_tensor(a, t.element) + "\n" for a, t in zip(results, program.results)]
    write_all(output, "".join(lines).encode())


def serve():
    """Replies to each line of standard input until it ends."""
    output = claim_standard_output()
    worker = Worker(answer)  # forks here: with libraries' output diverted, and none loaded yet
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            reply = worker.ask(line)
        except ToolError as fault:
            reply = json.dumps({"error": str(fault)}).encode() + b"\n"
        write_all(output, reply)


def answer(line):
    """One reply for one request, in the worker: whatever goes wrong becomes an error reply."""
    try:
        reply = reply_to(parse_request(line))
    except ToolError as fault:
        reply = {"error": one_line(fault)}
    except ModuleNotFoundError as fault:
        reply = {"error": missing_module(fault)}
    except Exception as fault:  # a library's own: the server must outlive it
        reply = {"error": f"{type(fault).__name__}: {one_line(fault)}"}
    return json.dumps(reply).encode()


def parse_request(line):
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise ToolError(f"the request is not JSON: {fault}") from None
    if not isinstance(request, dict) or not isinstance(request.get("module"), str):
        raise ToolError('a request is an object with "module", the text of one')
    return request


def reply_to(request):
    from stablehlo_runtime import interpret, parse_module, run_xla

    text = request["module"]
    if request.get("parse_only"):
        parse_module(text, "module")
        return {"parsed": True}
    arguments = request.get("arguments", [])
    if not isinstance(arguments, list):
        raise ToolError('"arguments" is a list of tensors')
    arrays = [decode(argument, position) for position, argument in enumerate(arguments)]
    if request.get("xla"):
        program, executable = compiled(text)
        results = run_xla(executable, program, arrays)
    else:
        program = interpretable(text)
        results = interpret(program, arrays)
    return {"results": [encode(a, t.element) for a, t in zip(results, program.results)]}


# A caller often sends the same module with other arguments.
@functools.lru_cache(maxsize=16)
def interpretable(text):
    from stablehlo_runtime import load_program, prepare_to_interpret

    return prepare_to_interpret(load_program(text))


@functools.lru_cache(maxsize=16)
def compiled(text):
    from stablehlo_runtime import XlaExecutable, load_program

    program = load_program(text)
    return program, XlaExecutable(program)


def decode(argument, position):
    import numpy
    from stablehlo_runtime import ELEMENTS, TensorType, aligned_array

    where = f"argument {position}"
    if not isinstance(argument, dict):
        raise ToolError(f'{where}: is an object with "shape", "element" and "bytes"')
    shape, element, data = (argument.get(key) for key in ("shape", "element", "bytes"))
    if not isinstance(shape, list) or not all(type(e) is int and e >= 0 for e in shape):
        raise ToolError(f'{where}: "shape" is a list of extents, given {json.dumps(shape)}')
    if not isinstance(element, str) or element not in ELEMENTS:
        known = ", ".join(ELEMENTS)
        raise ToolError(f'{where}: "element" is one of {known}, given {json.dumps(element)}')
    try:
        data = bytes.fromhex(data)
    except (TypeError, ValueError):
        raise ToolError(f'{where}: "bytes" is no string of hex digit pairs') from None
    tensor_type = TensorType(tuple(shape), element)
    if len(data) != tensor_type.byte_count:
        raise ToolError(
            f"{where}: {tensor_type} takes {tensor_type.byte_count} bytes, not {len(data)}"
        )
    if element == "i1" and data.strip(b"\0\1"):
        raise ToolError(f"{where}: a byte of i1 is 0 or 1")
    array = aligned_array(tensor_type)
    array.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(data, dtype=numpy.uint8)
    return array


def encode(array, element):
    return {"shape": list(array.shape), "element": element, "bytes": array.tobytes().hex()}


def main():
    command = CommandLine(
        __doc__,
        "eval-stablehlo.py module.mlir args.txt\n  eval-stablehlo.py --serve < requests.jsonl",
    )
    command.add_argument("module", nargs="?", help="StableHLO text with a function @main")
    command.add_argument("arguments", nargs="?", help="the arguments of @main")
    command.add_argument("--serve", action="store_true", help="answer JSON requests until EOF")
    options = command.parse_args()
    if options.serve:
        if options.module:
            command.error("--serve takes no files: modules come with the requests")
        run_tool(serve)
    if not options.arguments:
        command.error("a module and an arguments file are needed, or --serve")
    run_guarded_tool(lambda: evaluate_file(options.module, options.arguments))


if __name__ == "__main__":
    main()
