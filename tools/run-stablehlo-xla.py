#!/usr/bin/env python3
"""Compiles a StableHLO module with XLA through jaxlib's client and runs it once.

JAX_PLATFORMS picks the platform, cpu when it is not set. Arguments and results are in the
form of eval-stablehlo.py.
"""

from tool_process import CommandLine, claim_standard_output, read_text, run_guarded_tool, write_all


def main():
    command = CommandLine(__doc__, "run-stablehlo-xla.py module.mlir args.txt")
    command.add_argument("module", help="StableHLO text with a function @main")
    command.add_argument("arguments", help="the arguments of @main, one tensor a line")
    options = command.parse_args()

    def body():
        output = claim_standard_output()
        from stablehlo_runtime import XlaExecutable, load_program, run_xla
        from tensor_text import format_tensor, parse_tensors

        program = load_program(read_text(options.module), options.module)
        arguments = parse_tensors(
            read_text(options.arguments), program.arguments, options.arguments
        )
        results = run_xla(XlaExecutable(program), program, arguments)
        lines = [format_tensor(a, t.element) + "\n" for a, t in zip(results, program.results)]
        write_all(output, "".join(lines).encode())

    run_guarded_tool(body)


if __name__ == "__main__":
    main()
