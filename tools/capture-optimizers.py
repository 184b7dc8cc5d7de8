#!/usr/bin/env python3
"""Writes what PyTorch's optimizers and schedules compute on a small fixed problem.

Parameters `weights` [3, 2] and `bias` [2] start from fixed values and are stepped with fixed
gradients, in f32 and in f64, by each optimizer of CASES. A line of the file is a title and
its numbers, as C's hexadecimal floats: nothing is lost. tests/nn/optimizer_test.cpp and
tests/nn/schedule_test.cpp read the file; only making it needs PyTorch (build/peers has it).
"""

import argparse
import math
import os
import sys

DEFAULT_OUTPUT = os.path.join(
    os.path.dirname(__file__), os.pardir, "tests", "golden", "nn", "captured", "optimizers.txt"
)
RATE = 0.0625
STEPS = 12
SHAPES = {"weights": (3, 2), "bias": (2,)}
CASES = {
    "sgd": ("SGD", {}),
    "sgd_decay": ("SGD", {"weight_decay": 0.25}),
    "sgd_momentum": ("SGD", {"momentum": 0.875}),
    "sgd_dampened": ("SGD", {"momentum": 0.875, "dampening": 0.5}),
    "sgd_nesterov": ("SGD", {"momentum": 0.875, "nesterov": True, "weight_decay": 0.25}),
    "adam": ("Adam", {}),
    "adam_short": ("Adam", {"betas": (0.5, 0.75), "eps": 1e-3}),
    "adamw": ("AdamW", {"weight_decay": 0.25}),
}


def start(name):
    """Between 1 and 2, so that a relative tolerance means the same for all."""
    return [1.0 + (5 * i + len(name)) % 16 / 16 for i in range(math.prod(SHAPES[name]))]


def gradient(name, step):
    """Of both signs and magnitudes from 1e-8 to 4; one element never has any."""
    values = []
    for i in range(math.prod(SHAPES[name])):
        scale = (0.0, 1.0, 4.0, 1e-3, 1e-8, 0.25)[i]
        values.append(scale * math.sin(3 * step + i + len(name)))
    return values


def line(title, values):
    return title + ": " + " ".join(float(value).hex() for value in values)


def optimizer_lines(torch, element):
    dtype = {"f32": torch.float32, "f64": torch.float64}[element]

    def tensor(name, values):
        return torch.tensor(values, dtype=dtype).reshape(SHAPES[name])

    for name in SHAPES:
        yield line(f"{element} start {name}", tensor(name, start(name)).flatten().tolist())
        for step in range(1, STEPS + 1):
            values = tensor(name, gradient(name, step)).flatten().tolist()
            yield line(f"{element} gradient {step} {name}", values)
    for case, (kind, options) in CASES.items():
        parameters = {name: tensor(name, start(name)).requires_grad_() for name in SHAPES}
        groups = [{"params": [parameters["weights"]]}, {"params": [parameters["bias"]]}]
        if kind == "AdamW":
            groups[1]["weight_decay"] = 0.0  # what the library's default policy is
        optimizer = getattr(torch.optim, kind)(groups, lr=RATE, foreach=False, **options)
        for step in range(1, STEPS + 1):
            for name, parameter in parameters.items():
                parameter.grad = tensor(name, gradient(name, step))
            optimizer.step()
            for name, parameter in parameters.items():
                yield line(f"{element} {case} {step} {name}", parameter.detach().flatten().tolist())


def schedule_lines(torch):
    schedules = torch.optim.lr_scheduler
    cases = {
        "step_decay": lambda optimizer: schedules.StepLR(optimizer, step_size=4, gamma=0.3),
        "cosine": lambda optimizer: schedules.CosineAnnealingLR(optimizer, T_max=20, eta_min=0.01),
    }
    for name, make in cases.items():
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.3)
        schedule = make(optimizer)
        rates = []
        for _ in range(20):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        yield line(f"schedule {name}", rates)


def captured():
    import torch

    version = torch.__version__.split("+")[0]
    lines = [
        f"// torch.optim of PyTorch {version} on the CPU, by tools/capture-optimizers.py.",
        "// start NAME, gradient STEP NAME: the problem. CASE STEP NAME: the parameter after it.",
        "// schedule CASE: the rates of steps 0, 1, ...",
    ]
    for element in ("f32", "f64"):
        lines.extend(optimizer_lines(torch, element))
    lines.extend(schedule_lines(torch))
    return "".join(text + "\n" for text in lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  build/peers/bin/python tools/capture-optimizers.py --check",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", default=DEFAULT_OUTPUT, help="default: %(default)s")
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    options = parser.parse_args()
    try:
        text = captured()
    except ImportError as error:
        sys.exit(f"capture-optimizers.py: {error}; run it with build/peers/bin/python")
    if options.check:
        with open(options.output, encoding="ascii") as file:
            if file.read() != text:
                sys.exit(f"capture-optimizers.py: {options.output} is not what PyTorch gives here")
        return
    with open(options.output, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main()
