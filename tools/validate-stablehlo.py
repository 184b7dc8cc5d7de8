#!/usr/bin/env python3
"""Parses and verifies a StableHLO module with jaxlib's MLIR (StableHLO and CHLO dialects).

Prints `parsed OK` and exits 0, or prints the diagnostic to standard error and exits 1.
"""

from tool_process import CommandLine, claim_standard_output, read_text, run_guarded_tool, write_all


def main():
    command = CommandLine(__doc__, "validate-stablehlo.py module.mlir")
    command.add_argument("module", help="StableHLO text; CHLO operations are accepted")
    options = command.parse_args()

    def body():
        output = claim_standard_output()
        from stablehlo_runtime import parse_module

        parse_module(read_text(options.module), options.module)
        write_all(output, b"parsed OK\n")

    run_guarded_tool(body)


if __name__ == "__main__":
    main()
