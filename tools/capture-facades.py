#!/usr/bin/env python3
"""Writes tests/golden/facades/*.json: what PyTorch computes for every layer and loss of topos.

A file holds cases by title. A case has its inputs, weights among them, and for f32 and f64 the
output and the gradients of sum(output * seed) by every floating input but the seed. The inputs
are multiples of 1/64, the same in both types. f32 results are printed as the shortest decimals
that read back, f64 results likewise.
"""

import argparse
import json
import os
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit("capture-facades.py: torch is needed: script/bootstrap peers installs it")

DEFAULT_OUTPUT = os.path.join(
    os.path.dirname(__file__), os.pardir, "tests", "golden", "facades"
)
TYPES = {"f32": torch.float32, "f64": torch.float64}
generator = torch.Generator()


def draw(*shape):
    """Normal draws, rounded to multiples of 1/64."""
    normal = torch.randn(shape, generator=generator, dtype=torch.float64)
    return torch.round(normal * 64) / 64


def positive(*shape):
    return draw(*shape).abs() + 0.5


def numbers(tensor):
    """The elements as decimals that read back in the tensor's own type."""
    flat = tensor.detach().reshape(-1)
    if flat.dtype == torch.float32:
        return [float(str(value)) for value in flat.numpy()]
    return flat.tolist()


def text(tensor):
    return {"shape": list(tensor.shape), "elements": numbers(tensor)}


def case(inputs, function):
    """Evaluates function(**inputs) in both types; inputs of integers have no gradient."""
    result = {"inputs": {name: text(value) for name, value in inputs.items()}}
    for name, dtype in TYPES.items():
        typed = {
            key: value if value.dtype == torch.int64 else value.to(dtype, copy=True).requires_grad_(True)
            for key, value in inputs.items()
        }
        outputs = function(**typed)
        if not isinstance(outputs, dict):
            outputs = {"output": outputs}
        shape = outputs["output"].shape
        seed = torch.ones(shape, dtype=dtype)
        if seed.numel() > 1:  # multiples of 1/8, so that no two neighbours weigh the same
            seed = ((torch.arange(seed.numel(), dtype=dtype) * 5) % 16 - 7).reshape(shape) / 8
        loss = (outputs["output"] * seed).sum()
        loss.backward()
        result.setdefault("seed", text(seed.to(torch.float64)))
        result[name] = {
            "outputs": {key: text(value) for key, value in outputs.items()},
            "gradients": {
                key: text(torch.zeros_like(value) if value.grad is None else value.grad)
                for key, value in typed.items()
                if value.dtype != torch.int64
            },
        }
    return result


def linear():
    plain = {"x": draw(4, 3), "weights": draw(3, 2), "bias": draw(2)}
    stacked = {"x": draw(2, 3, 4), "weights": draw(4, 2), "bias": draw(2)}
    unbiased = {"x": draw(4, 3), "weights": draw(3, 2)}
    return {
        "rows": case(plain, lambda x, weights, bias: F.linear(x, weights.T, bias)),
        "more axes": case(stacked, lambda x, weights, bias: F.linear(x, weights.T, bias)),
        "no bias": case(unbiased, lambda x, weights: F.linear(x, weights.T)),
    }


def mlp():
    def perceptron(activation):
        def function(x, weights0, bias0, weights1, bias1):
            hidden = activation(F.linear(x, weights0.T, bias0))
            return F.linear(hidden, weights1.T, bias1)

        return function

    inputs = {
        "x": draw(4, 3),
        "weights0": draw(3, 5),
        "bias0": draw(5),
        "weights1": draw(5, 2),
        "bias1": draw(2),
    }
    functions = {"tanh": torch.tanh, "relu": F.relu, "softplus": F.softplus, "gelu": F.gelu}
    return {name: case(inputs, perceptron(function)) for name, function in functions.items()}


def convolution():
    def with_options(**options):
        return lambda x, weights, bias: F.conv2d(x, weights, bias, **options)

    def inputs(channels, filters, groups=1, size=5):
        return {
            "x": draw(2, channels, size, size - 1),
            "weights": draw(filters, channels // groups, 3, 2),
            "bias": draw(filters),
        }

    return {
        "plain": case(inputs(2, 3), with_options()),
        "stride 2 padding 1": case(inputs(2, 3), with_options(stride=2, padding=1)),
        "dilation 2": case(inputs(1, 2), with_options(dilation=2)),
        "groups 2": case(inputs(4, 6, 2), with_options(groups=2)),
        "depthwise": case(inputs(3, 3, 3), with_options(groups=3, stride=2, padding=1)),
        "everything": case(
            inputs(4, 2, 2, 7), with_options(stride=2, padding=2, dilation=2, groups=2)
        ),
    }


def pooling():
    x = {"x": draw(2, 2, 5, 6)}
    return {
        "max 2 2": case(x, lambda x: F.max_pool2d(x, 2, 2)),
        "max 3 2 padding 1": case(x, lambda x: F.max_pool2d(x, 3, 2, 1)),
        "average 2 2": case(x, lambda x: F.avg_pool2d(x, 2, 2)),
        "average 3 2 padding 1": case(x, lambda x: F.avg_pool2d(x, 3, 2, 1)),
        "global average": case(x, lambda x: F.adaptive_avg_pool2d(x, 1).flatten(1)),
    }


def batch_norm():
    def training(x, scale, shift):
        axes = [axis for axis in range(x.dim()) if axis != 1]
        return {
            "output": F.batch_norm(x, None, None, scale, shift, training=True, eps=1e-5),
            "mean": x.mean(axes),
            "variance": x.var(axes, unbiased=False),
        }

    def running(x, second, scale, shift):
        dtype = x.dtype
        mean, variance = torch.zeros(3, dtype=dtype), torch.ones(3, dtype=dtype)
        for batch in (x, second):
            output = F.batch_norm(batch, mean, variance, scale, shift, True, 0.1, 1e-5)
        return {"output": output, "mean": mean, "variance": variance}

    def inference(x, mean, variance, scale, shift):
        y = F.batch_norm(x, mean.detach(), variance.detach(), scale, shift, False, eps=1e-5)
        # PyTorch has no gradient by the statistics; the formula has.
        view = [1, -1] + [1] * (x.dim() - 2)
        deviation = (variance + 1e-5).sqrt().view(view)
        formula = (x - mean.view(view)) / deviation * scale.view(view) + shift.view(view)
        torch.testing.assert_close(y, formula, rtol=1e-5, atol=1e-5)
        return formula

    affine = {"scale": positive(3), "shift": draw(3)}
    statistics = {"mean": draw(3), "variance": positive(3)}
    image = draw(2, 3, 2, 4)
    return {
        "training": case({"x": draw(6, 3), **affine}, training),
        "training images": case({"x": image, **affine}, training),
        "running": case({"x": draw(6, 3), "second": draw(5, 3), **affine}, running),
        "inference": case({"x": draw(4, 3), **statistics, **affine}, inference),
        "inference images": case({"x": image, **statistics, **affine}, inference),
    }


def norms():
    def layer(x, scale, shift):
        return F.layer_norm(x, scale.shape, scale, shift, 1e-5)

    def rms(x, scale):
        return F.rms_norm(x, scale.shape, scale, 1e-6)

    return {
        "layer": case({"x": draw(4, 5), "scale": positive(5), "shift": draw(5)}, layer),
        "layer more axes": case({"x": draw(2, 3, 4), "scale": positive(4), "shift": draw(4)}, layer),
        "rms": case({"x": draw(4, 5), "scale": positive(5)}, rms),
        "rms more axes": case({"x": draw(2, 3, 4), "scale": positive(4)}, rms),
    }


def dropout():
    mask = (draw(3, 4) > 0).to(torch.float64) * 1.25
    return {"mask": case({"x": draw(3, 4), "mask": mask}, lambda x, mask: x * mask)}


def embedding():
    ids = torch.tensor([4, 0, 2, 2, 4])
    inputs = {"ids": ids, "table": draw(5, 3)}
    return {"ids": case(inputs, lambda ids, table: F.embedding(ids, table))}


def attention():
    def scaled(q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, mask, scale=0.5)

    def hidden_rows(q, k, v, seen):
        """By the formula over the keys that are seen; a row that sees none is zeros."""
        visible = seen.detach() > 0
        scores = (q @ k.transpose(-1, -2) * 0.5).masked_fill(~visible, -1e4)
        weights = torch.softmax(scores, -1) * visible
        return weights @ v + 0 * seen.sum()

    def heads(x, query, query_bias, key, value, value_bias, output, output_bias):
        layer = torch.nn.MultiheadAttention(4, 2, batch_first=True, dtype=x.dtype)
        packed = {
            "in_proj_weight": torch.cat([query.T, key.T, value.T]),
            "in_proj_bias": torch.cat([query_bias, torch.zeros_like(query_bias), value_bias]),
            "out_proj.weight": output.T,
            "out_proj.bias": output_bias,
        }
        causal = torch.triu(torch.full((3, 3), -torch.inf, dtype=x.dtype), 1)
        operands = (x, x, x)
        options = {"attn_mask": causal, "need_weights": False}
        return torch.func.functional_call(layer, packed, operands, options)[0]

    def rotated(pairs):
        def function(x):
            positions, width = x.shape[-2:]
            frequencies = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
            angles = torch.outer(torch.arange(3, 3 + positions, dtype=torch.float64), frequencies)
            cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
            if pairs == "interleaved":
                turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
                turned = turned * torch.complex(cosine, sine)
                return torch.view_as_real(turned).flatten(-2)
            first, second = x.chunk(2, -1)
            halves = torch.cat([-second, first], -1)
            return x * torch.cat([cosine] * 2, -1) + halves * torch.cat([sine] * 2, -1)

        return function

    def operands(*leading):
        return {"q": draw(*leading, 3, 4), "k": draw(*leading, 5, 4), "v": draw(*leading, 5, 2)}

    seen = torch.tensor([[1.0, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=torch.float64)
    layers = {}
    for name in ("query", "key", "value", "output"):
        layers.update({name: draw(4, 4), name + "_bias": draw(4)})
    del layers["key_bias"]  # softmax does not see it: its gradient is rounding alone
    return {
        "rank 2": case({**operands(), "mask": draw(3, 5)}, scaled),
        "rank 3": case({**operands(2), "mask": draw(2, 3, 5)}, scaled),
        "rank 4": case({**operands(2, 2), "mask": draw(3, 5)}, scaled),
        "hidden rows": case({**operands(2), "seen": seen}, hidden_rows),
        "heads": case({"x": draw(2, 3, 4), **layers}, heads),
        "rotary interleaved": case({"x": draw(2, 3, 4)}, rotated("interleaved")),
        "rotary halves": case({"x": draw(2, 3, 4)}, rotated("halves")),
    }


def losses():
    def entropy(**options):
        return lambda logits, ids: F.cross_entropy(logits, ids, **options)

    inputs = {"logits": draw(5, 4), "ids": torch.tensor([1, 3, 0, 3, 2])}
    error = {"prediction": draw(3, 4), "target": draw(3, 4)}
    return {
        "cross entropy": case(inputs, entropy()),
        "smoothing": case(inputs, entropy(label_smoothing=0.125)),
        "ignored": case(inputs, entropy(ignore_index=3)),
        "smoothing ignored": case(inputs, entropy(label_smoothing=0.125, ignore_index=3)),
        "mean squared error": case(error, lambda prediction, target: F.mse_loss(prediction, target)),
    }


FILES = [
    linear,
    mlp,
    convolution,
    pooling,
    batch_norm,
    norms,
    dropout,
    embedding,
    attention,
    losses,
]


def written(value, indent=""):
    """JSON with a tensor a line."""
    if not isinstance(value, dict) or "shape" in value:
        return json.dumps(value)
    inner = indent + " "
    entries = (f'{inner}"{key}": {written(entry, inner)}' for key, entry in value.items())
    return "{\n" + ",\n".join(entries) + "\n" + indent + "}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  build/peers/bin/python tools/capture-facades.py",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", default=DEFAULT_OUTPUT, help="default: tests/golden/facades")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    for number, build in enumerate(FILES):
        generator.manual_seed(number)
        document = written({"torch": torch.__version__, "cases": build()})
        path = os.path.join(options.output, build.__name__ + ".json")
        with open(path, "w", encoding="ascii") as file:
            file.write(document + "\n")
    print(f"wrote {len(FILES)} files to {os.path.relpath(options.output)}")


if __name__ == "__main__":
    main()
