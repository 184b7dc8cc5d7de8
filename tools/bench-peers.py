#!/usr/bin/env python3
"""Measures one peer of topos on the rows of script/bench, each as that library is used best.

Reads row names, one a line, from standard input, or takes them as arguments; for each one it
writes a line of JSON to standard output: {"row": ..., "seconds": ...} for one iteration, with
"nodes" or "bytes" where the row counts those, or {"row": ..., "skipped": why}. The first line
names the peer and its version. A row asked for again keeps what was compiled for it.
"""

import ctypes
import importlib.metadata
import json
import os
import sys
import time

from bench_layers import LAYERS, JaxLayers, TorchLayers, arrays
from bench_rows import PEERS
from tool_process import CommandLine, claim_standard_output, one_line, run_tool, write_all

VOCABULARY, EMBEDDING, CONTEXT, HIDDEN, BATCH = 27, 10, 3, 100, 64  # the name model's


class Absent(Exception):
    """This peer has no such work."""


class Peer:
    """The data of the works; a work is a function that does one iteration and waits for it."""

    nodes = None  # of the record row

    def __init__(self, threads):
        import numpy

        self.numpy = numpy
        self.threads = threads
        self.random = numpy.random.default_rng(0)

    def normal(self, *shape, scale=1.0):
        return (self.random.standard_normal(shape) * scale).astype("f4")

    def map_operands(self, function, count):
        x = self.normal(count, scale=2.0)
        if function in ("log", "log1p", "sqrt", "power"):
            x = self.numpy.maximum(abs(x), self.numpy.float32(1e-3))
        return (x, self.normal(count, scale=2.0)) if function == "power" else (x,)

    def makemore_parameters(self):
        shapes = (
            (VOCABULARY, EMBEDDING),
            (CONTEXT * EMBEDDING, HIDDEN),
            (HIDDEN,),
            (HIDDEN, VOCABULARY),
        )
        return [self.normal(*shape, scale=0.1) for shape in (*shapes, (VOCABULARY,))]

    def makemore_batch(self):
        return self.labels(VOCABULARY, BATCH, CONTEXT), self.labels(VOCABULARY, BATCH)

    def labels(self, classes, *shape):
        return self.random.integers(0, classes, shape).astype("i4")

    def cnn_parameters(self):
        shapes = ((32, 3, 3, 3), (32,), (64, 32, 3, 3), (64,), (4096, 10), (10,))
        return [self.normal(*shape, scale=0.05) for shape in shapes]

    def memory(self):
        """A step of cnn/train that is ready to run, with what it needs already resident."""
        return self.cnn_train()


class Numpy(Peer):
    package = "numpy"

    def gemm(self, n):
        a, b, out = self.normal(n, n), self.normal(n, n), self.normal(n, n)
        return lambda: self.numpy.matmul(a, b, out=out)

    def map(self, function, count):
        operands = self.map_operands(function, count)
        out = self.numpy.empty(count, "f4")
        called = getattr(self.numpy, function)
        return lambda: called(*operands, out=out)

    def chain(self, count):
        np = self.numpy
        x, y, z = (self.normal(count) for _ in range(3))
        return lambda: np.tanh(x * y + z) * np.float32(2) - np.exp(-x)


class Torch(Peer):
    package = "torch"

    def __init__(self, threads):
        super().__init__(threads)
        import torch

        self.torch = torch
        torch.set_num_threads(threads)

    def optimised(self, function):
        return function

    def tensor(self, array, trained=False):
        return self.torch.from_numpy(self.numpy.array(array)).requires_grad_(trained)

    def inference(self, function):
        def call():
            with self.torch.inference_mode():
                function()

        return call

    def descent(self, loss, parameters, rate, also=()):
        """A step of gradient descent, with the gradient by `also`; the loss is read."""
        torch = self.torch

        def step():
            value = loss()
            value.backward()
            if parameters:
                with torch.no_grad():
                    torch._foreach_add_(parameters, [p.grad for p in parameters], alpha=-rate)
            for tensor in (*parameters, *also):
                tensor.grad = None
            return value.item()

        return step

    def gemm(self, n):
        a, b = self.tensor(self.normal(n, n)), self.tensor(self.normal(n, n))
        out = self.torch.empty(n, n)
        return lambda: self.torch.mm(a, b, out=out)

    def map(self, function, count):
        operands = [self.tensor(operand) for operand in self.map_operands(function, count)]
        out = self.torch.empty(count)
        called = getattr(self.torch, {"power": "pow"}.get(function, function))
        return lambda: called(*operands, out=out)

    def chain(self, count):
        torch = self.torch
        x, y, z = (self.tensor(self.normal(count)) for _ in range(3))
        called = self.optimised(lambda x, y, z: torch.tanh(x * y + z) * 2 - torch.exp(-x))
        return self.inference(lambda: called(x, y, z))

    def makemore_step(self):
        functional = self.torch.nn.functional
        parameters = [self.tensor(p, trained=True) for p in self.makemore_parameters()]
        contexts, targets = (self.tensor(array).long() for array in self.makemore_batch())

        def loss(table, weights, bias, output, output_bias):
            embedded = table[contexts].view(BATCH, CONTEXT * EMBEDDING)
            hidden = self.torch.tanh(embedded @ weights + bias)
            return functional.cross_entropy(hidden @ output + output_bias, targets)

        called = self.optimised(loss)
        return self.descent(lambda: called(*parameters), parameters, 0.1)

    def wide_train(self):
        x, y = self.tensor(self.normal(1024, 1024)), self.tensor(self.normal(1024, 512))
        shapes = ((1024, 2048), (2048, 512))
        parameters = [
            self.tensor(self.normal(*shape, scale=0.02), trained=True) for shape in shapes
        ]

        def loss(first, second):
            error = self.torch.tanh(x @ first) @ second - y
            return (error * error).sum()

        called = self.optimised(loss)
        return self.descent(lambda: called(*parameters), parameters, 1e-6)

    def network(self, images, parameters):
        functional = self.torch.nn.functional
        first, first_bias, second, second_bias, weights, bias = parameters
        hidden = functional.relu(functional.conv2d(images, first, first_bias, padding=1))
        hidden = functional.max_pool2d(hidden, 2)
        hidden = functional.relu(functional.conv2d(hidden, second, second_bias, padding=1))
        return functional.max_pool2d(hidden, 2).flatten(1) @ weights + bias

    def cnn_forward(self):
        parameters = [self.tensor(p) for p in self.cnn_parameters()]
        images = self.tensor(self.normal(8, 3, 32, 32))
        called = self.optimised(self.network)
        return self.inference(lambda: called(images, parameters))

    def cnn_train(self):
        parameters = [self.tensor(p, trained=True) for p in self.cnn_parameters()]
        images = self.tensor(self.normal(64, 3, 32, 32))
        targets = self.tensor(self.labels(10, 64)).long()
        cross_entropy = self.torch.nn.functional.cross_entropy
        called = self.optimised(lambda *p: cross_entropy(self.network(images, p), targets))
        return self.descent(lambda: called(*parameters), parameters, 0.01)

    def attention(self):
        q, k, v = (self.tensor(self.normal(1, 12, 256, 64)) for _ in range(3))
        attend = self.torch.nn.functional.scaled_dot_product_attention
        called = self.optimised(lambda q, k, v: attend(q, k, v, is_causal=True))
        return self.inference(lambda: called(q, k, v))

    def layer(self, name, phase):
        if name in ("adam", "adamw"):
            return self.optimizer_step(name)
        layer = LAYERS[name]
        function = getattr(TorchLayers(self), name)
        trained = phase == "train"
        x, weights, labels = arrays(layer, self)
        source = None if x is None else self.tensor(x, trained=trained)
        parameters = [self.tensor(array, trained=trained) for array in weights]
        chosen = None if labels is None else self.tensor(labels).long()

        def loss(*weights):
            output = function(source, chosen, *weights)
            return output if layer.is_loss else output.square().sum()

        if not trained:
            called = self.optimised(lambda *weights: function(source, chosen, *weights))
            return self.inference(lambda: called(*parameters))
        called = self.optimised(loss)
        also = [] if source is None else [source]
        return self.descent(lambda: called(*parameters), parameters, 1e-9, also)

    def optimizer_step(self, name):
        layer = LAYERS["mlp"]
        x, weights, _ = arrays(layer, self)
        source = self.tensor(x)
        parameters = [self.tensor(array, trained=True) for array in weights]
        mlp = TorchLayers(self).mlp
        called = self.optimised(lambda *weights: mlp(source, None, *weights).square().sum())
        kind = {"adam": self.torch.optim.Adam, "adamw": self.torch.optim.AdamW}[name]
        optimizer = kind(parameters, lr=1e-6, fused=True)

        def step():
            optimizer.zero_grad()
            loss = called(*parameters)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    def record(self):
        from torch.fx.experimental.proxy_tensor import make_fx

        additions = 1 << 10
        self.nodes = 2 * additions  # each addition, and what its derivative adds
        one = self.torch.tensor(1.0)

        def chain(x):
            y = x
            for _ in range(additions):
                y = y + x
            return y

        return lambda: make_fx(self.torch.func.grad(chain))(one)


class Compiled(Torch):
    def optimised(self, function):
        return self.torch.compile(function)

    def makemore_first(self):
        import torch._inductor.config

        torch._inductor.config.force_disable_caches = True

        def first():
            self.torch._dynamo.reset()
            self.makemore_step()()

        return first


class Jax(Peer):
    package = "jax"

    def __init__(self, threads):
        super().__init__(threads)
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax

        self.jax = jax

    def arrays(self, arrays):
        return [self.jax.numpy.array(array) for array in arrays]

    def waited(self, function, *operands):
        compiled = self.jax.jit(function)
        return lambda: compiled(*operands).block_until_ready()

    def descent(self, loss, parameters, rate, ahead=False):
        """A step of gradient descent on parameters that it may overwrite; the loss is read."""
        jax = self.jax

        def update(parameters):
            value, gradients = jax.value_and_grad(loss)(parameters)
            return [p - rate * g for p, g in zip(parameters, gradients)], value

        step = jax.jit(update, donate_argnums=0)
        if ahead:
            step = step.lower(parameters).compile()
        state = [parameters]

        def call():
            state[0], value = step(state[0])
            return float(jax.block_until_ready((state[0], value))[1])

        return call

    def gemm(self, n):
        return self.waited(lambda a, b: a @ b, *self.arrays([self.normal(n, n), self.normal(n, n)]))

    def map(self, function, count):
        operands = self.arrays(self.map_operands(function, count))
        called = self.jax.lax.erf if function == "erf" else getattr(self.jax.numpy, function)
        return self.waited(called, *operands)

    def chain(self, count):
        numpy = self.jax.numpy
        operands = self.arrays(self.normal(count) for _ in range(3))
        return self.waited(lambda x, y, z: numpy.tanh(x * y + z) * 2 - numpy.exp(-x), *operands)

    def makemore_loss(self):
        jax = self.jax
        contexts, targets = self.makemore_batch()

        def loss(parameters):
            table, weights, bias, output, output_bias = parameters
            embedded = table[contexts].reshape(BATCH, CONTEXT * EMBEDDING)
            logits = jax.numpy.tanh(embedded @ weights + bias) @ output + output_bias
            return -jax.nn.log_softmax(logits)[jax.numpy.arange(BATCH), targets].mean()

        return loss

    def makemore_step(self):
        return self.descent(self.makemore_loss(), self.arrays(self.makemore_parameters()), 0.1)

    def makemore_first(self):
        return lambda: self.makemore_step()()  # new functions every time: nothing is found compiled

    def wide_train(self):
        x, y = self.arrays([self.normal(1024, 1024), self.normal(1024, 512)])

        def loss(parameters):
            error = self.jax.numpy.tanh(x @ parameters[0]) @ parameters[1] - y
            return (error * error).sum()

        shapes = ((1024, 2048), (2048, 512))
        return self.descent(loss, self.arrays(self.normal(*s, scale=0.02) for s in shapes), 1e-6)

    def network(self, images, parameters):
        jax = self.jax
        first, first_bias, second, second_bias, weights, bias = parameters

        def convolved(x, kernel, offset):
            layout = ("NCHW", "OIHW", "NCHW")
            product = jax.lax.conv_general_dilated(
                x, kernel, (1, 1), "SAME", dimension_numbers=layout
            )
            return jax.nn.relu(product + offset[None, :, None, None])

        def pooled(x):
            window = (1, 1, 2, 2)
            return jax.lax.reduce_window(x, -float("inf"), jax.lax.max, window, window, "VALID")

        hidden = pooled(convolved(images, first, first_bias))
        hidden = pooled(convolved(hidden, second, second_bias))
        return hidden.reshape(images.shape[0], -1) @ weights + bias

    def cnn_forward(self):
        (images,) = self.arrays([self.normal(8, 3, 32, 32)])
        return self.waited(self.network, images, self.arrays(self.cnn_parameters()))

    def cnn_train(self, ahead=False):
        jax = self.jax
        (images,) = self.arrays([self.normal(64, 3, 32, 32)])
        targets = self.labels(10, 64)

        def loss(parameters):
            probabilities = jax.nn.log_softmax(self.network(images, parameters))
            return -probabilities[jax.numpy.arange(64), targets].mean()

        return self.descent(loss, self.arrays(self.cnn_parameters()), 0.01, ahead)

    def memory(self):
        return self.cnn_train(ahead=True)

    def attention(self):
        numpy = self.jax.numpy
        mask = numpy.where(numpy.tril(numpy.ones((256, 256))) == 1, 0, -float("inf"))

        def attend(q, k, v):
            scores = numpy.einsum("hqd,hkd->hqk", q, k) / 8 + mask
            return numpy.einsum("hqk,hkd->hqd", self.jax.nn.softmax(scores), v)

        return self.waited(attend, *self.arrays(self.normal(12, 256, 64) for _ in range(3)))

    def layer(self, name, phase):
        if name in ("adam", "adamw"):
            return self.optimizer_step(name)
        jax, layer = self.jax, LAYERS[name]
        function = getattr(JaxLayers(self), name)
        x, weights, labels = arrays(layer, self)
        source = None if x is None else jax.numpy.array(x)
        parameters = self.arrays(weights)
        if phase == "forward":
            return self.waited(lambda x, p: function(x, labels, *p), source, parameters)

        def loss(parameters, x):
            output = function(x, labels, *parameters)
            return output if layer.is_loss else (output * output).sum()

        wanted = 0 if source is None else (0, 1)

        def update(parameters, x):
            value, gradients = jax.value_and_grad(loss, wanted)(parameters, x)
            by_weights, by_input = (gradients, None) if source is None else gradients
            return [p - 1e-9 * g for p, g in zip(parameters, by_weights)], by_input, value

        step = jax.jit(update, donate_argnums=0)
        state = [parameters]

        def call():
            state[0], gradient, value = jax.block_until_ready(step(state[0], source))
            return float(value)

        return call

    def optimizer_step(self, name):
        jax = self.jax
        x, weights, _ = arrays(LAYERS["mlp"], self)
        mlp, decay = JaxLayers(self).mlp, 0.01 if name == "adamw" else 0.0
        rate, beta1, beta2 = 1e-6, 0.9, 0.999

        def loss(parameters):
            output = mlp(x, None, *parameters)
            return (output * output).sum()

        def update(parameters, first, second, count):
            value, gradients = jax.value_and_grad(loss)(parameters)
            count = count + 1
            first = [beta1 * m + (1 - beta1) * g for m, g in zip(first, gradients)]
            second = [beta2 * v + (1 - beta2) * g * g for v, g in zip(second, gradients)]
            scale1, scale2 = 1 - beta1**count, 1 - beta2**count
            stepped = [
                p * (1 - rate * (decay if p.ndim > 1 else 0.0))
                - rate * (m / scale1) / (jax.numpy.sqrt(v / scale2) + 1e-8)
                for p, m, v in zip(parameters, first, second)
            ]
            return (stepped, first, second, count), value

        step = jax.jit(update, donate_argnums=(0, 1, 2, 3))
        zeros = [self.arrays(0 * array for array in weights) for _ in range(2)]
        state = [(self.arrays(weights), *zeros, jax.numpy.float32(0))]

        def call():
            state[0], value = jax.block_until_ready(step(*state[0]))
            return float(value)

        return call

    def record(self):
        additions = 1 << 12
        self.nodes = 2 * additions  # each addition, and what its derivative adds

        def call():
            def chain(x):
                y = x
                for _ in range(additions):
                    y = y + x
                return y

            self.jax.jit(self.jax.grad(chain)).lower(1.0)

        return call


class Iree(Jax):
    """JAX writes the module; IREE compiles and runs it."""

    package = "iree-base-compiler"

    def makemore_step(self):
        import iree.compiler
        import iree.runtime

        jax, loss = self.jax, self.makemore_loss()

        def update(*parameters):
            value, gradients = jax.value_and_grad(loss)(list(parameters))
            return *(p - 0.1 * g for p, g in zip(parameters, gradients)), value

        initial = self.makemore_parameters()
        module = jax.jit(update).lower(*initial).as_text()
        options = ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]
        binary = iree.compiler.compile_str(
            module, input_type="stablehlo", target_backends=["llvm-cpu"], extra_args=options
        )
        iree.runtime.flags.parse_flags(f"--task_topology_group_count={self.threads}")
        config = iree.runtime.Config("local-task")
        loaded = iree.runtime.load_vm_module(
            iree.runtime.VmModule.copy_buffer(config.vm_instance, binary), config
        )
        state = [[iree.runtime.asdevicearray(config.device, array) for array in initial]]

        def call():
            *state[0], value = loaded["main"](*state[0])
            return float(value.to_host())

        return call


KINDS = {"numpy": Numpy, "torch": Torch, "compiled": Compiled, "jax": Jax, "iree": Iree}


def work_of(peer, name):
    """The function that does one iteration of a row."""
    parts = name.split("/")
    method, arguments = {
        "gemm": lambda: ("gemm", [int(parts[1])]),
        "map": lambda: ("map", [parts[1], int(parts[2])]),
        "chain": lambda: ("chain", [int(parts[1])]),
        "makemore": lambda: (f"makemore_{parts[1]}", []),
        "wide": lambda: ("wide_train", []),
        "cnn": lambda: (f"cnn_{parts[1]}", []),
        "attention": lambda: ("attention", []),
        "layer": lambda: ("layer", parts[1:]),
        "record": lambda: ("record", []),
        "memory": lambda: ("memory", []),
    }.get(parts[0], lambda: (parts[0], []))()
    found = getattr(peer, method, None)
    if found is None:
        raise Absent(f"has no {name}")
    return found(*arguments)


def seconds_of(work, least):
    """Of one iteration, from enough of them to take `least` seconds."""
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            work()
        passed = time.perf_counter() - start
        if passed >= least:
            return passed / count
        count = max(count + 1, int(count * min(10.0, 1.4 * least / max(passed, 1e-9))))


def status_bytes(field):
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return 1024 * int(line.split()[1])
    raise Absent(f"/proc/self/status has no {field}")


def bytes_of(work):
    """The largest resident size during five iterations, less the size before them."""
    ctypes.CDLL(None).malloc_trim(0)
    before = status_bytes("VmRSS")
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the largest resident size starts anew
    for _ in range(5):
        work()
    return status_bytes("VmHWM") - before


class Measured:
    """The works of a peer, made when first asked for."""

    def __init__(self, peer, least):
        self.peer = peer
        self.least = least
        self.works = {}

    def sample(self, name):
        first = name.startswith("makemore/first")
        if name not in self.works:
            self.works[name] = work_of(self.peer, name)
            if not first and not name.startswith("memory/"):
                self.works[name]()  # compiles
                self.works[name]()
        work = self.works[name]
        if name.startswith("memory/"):
            return {"row": name, "bytes": bytes_of(work)}
        if first:
            return {"row": name, "seconds": seconds_of(work, 0.0)}
        sample = {"row": name, "seconds": seconds_of(work, self.least)}
        if name.startswith("record/"):
            sample["nodes"] = self.peer.nodes
        return sample


def main():
    line = CommandLine(
        __doc__.split("\n\n")[0], "tools/bench-peers.py jax --threads 2 gemm/64 wide/train"
    )
    line.add_argument("peer", choices=sorted(PEERS))
    line.add_argument(
        "rows", nargs="*", help="names as of script/bench --list; none: standard input"
    )
    line.add_argument("--threads", type=int, default=2, help="threads to compute with (2)")
    line.add_argument(
        "--min-time", type=float, default=0.2, help="seconds a sample takes at least (0.2)"
    )
    options = line.parse_intermixed_args()
    output = claim_standard_output()

    def reply(document):
        write_all(output, json.dumps(document).encode() + b"\n")

    try:
        kind = KINDS[options.peer]
        measured = Measured(kind(options.threads), options.min_time)
        reply({"peer": options.peer, "version": importlib.metadata.version(kind.package)})
    except (ImportError, OSError) as fault:
        reply({"peer": options.peer, "missing": one_line(fault)})
        return 1
    for name in options.rows or sys.stdin:
        name = name.strip()
        try:
            reply(measured.sample(name))
        except Exception as fault:  # whatever a library reports: this row is skipped, others go on
            reply({"row": name, "skipped": one_line(f"{type(fault).__name__}: {fault}")[:300]})
    return 0


if __name__ == "__main__":
    run_tool(main)
