"""The layer rows of script/bench: what each layer is, and how the peers express it.

A row layer/NAME/forward computes the layer's output; layer/NAME/train is the gradient of the sum
of its squares, or of the loss, by all weights and the input, and the update of the weights.
"""

from dataclasses import dataclass

HEADS, GROUPS = 8, 4
ROWS, IMAGES = (1024, 512), (16, 32, 32, 32)


@dataclass(frozen=True)
class Layer:
    what: str
    input: tuple  # the shape; of ids, how many and how many classes
    weights: tuple = ()
    labels: tuple = ()  # how many and how many classes
    ones: int = 0  # so many of the weights start at one
    is_loss: bool = False


_MLP = ((784, 256), (256,), (256, 256), (256,), (256, 10), (10,))
_ATTENTION = ((256, 768), (768,), (256, 256), (256,))
LAYERS = {
    "linear": Layer("Linear 512 to 512, 256 rows", (256, 512), ((512, 512), (512,))),
    "mlp": Layer("Mlp 784-256-256-10, relu, 256 rows", (256, 784), _MLP),
    "conv2d": Layer(
        "Conv2d 16 to 32 channels, 3x3, padding 1, on 16 images of 32x32",
        (16, 16, 32, 32),
        ((32, 16, 3, 3), (32,)),
    ),
    "group_conv2d": Layer(
        "the same in four groups", (16, 16, 32, 32), ((32, 16 // GROUPS, 3, 3), (32,))
    ),
    "max_pool": Layer("MaxPool2d 2x2 on 16x32x32x32", IMAGES),
    "average_pool": Layer("AveragePool2d 2x2 on 16x32x32x32", IMAGES),
    "batch_norm": Layer(
        "BatchNorm by the batch's statistics, 1024x512", ROWS, ((512,), (512,)), ones=1
    ),
    "batch_norm2d": Layer("the same on 16x32x32x32", IMAGES, ((32,), (32,)), ones=1),
    "layer_norm": Layer("LayerNorm, 1024x512", ROWS, ((512,), (512,)), ones=1),
    "rms_norm": Layer("RmsNorm, 1024x512", ROWS, ((512,),), ones=1),
    "dropout": Layer(
        "Dropout by a mask that is given, 1024x512; the peers multiply by one, too", ROWS
    ),
    "embedding": Layer("Embedding 8192x128, 4096 ids", (), ((8192, 128),), labels=(4096, 8192)),
    "attention": Layer(
        "MultiHeadAttention, causal, 8 heads, batch 4, 128 positions, width 256; at the peers with"
        " the weights of queries, keys and values side by side",
        (4, 128, 256),
        _ATTENTION,
    ),
    "cross_entropy": Layer(
        "cross_entropy of 1024x1000 logits", (1024, 1000), labels=(1024, 1000), is_loss=True
    ),
}
OPTIMIZERS = {"adam": "a step of Adam on the Mlp", "adamw": "a step of AdamW on the Mlp"}


def arrays(layer, peer):
    """Input, weights and labels, drawn."""
    weights = [
        peer.numpy.ones(shape, "f4") if i < layer.ones else peer.normal(*shape, scale=0.02)
        for i, shape in enumerate(layer.weights)
    ]
    source = peer.normal(*layer.input) if layer.input else None
    labels = peer.labels(layer.labels[1], layer.labels[0]) if layer.labels else None
    return source, weights, labels


class TorchLayers:
    """output(x, labels, *weights) for each layer."""

    def __init__(self, peer):
        self.torch = peer.torch
        self.functional = peer.torch.nn.functional
        self.mask = peer.tensor(peer.random.binomial(1, 0.9, ROWS).astype("f4") / 0.9).float()

    def linear(self, x, _, weights, bias):
        return self.torch.addmm(bias, x, weights)

    def mlp(self, x, _, *weights):
        relu = self.functional.relu
        hidden = relu(self.torch.addmm(weights[1], x, weights[0]))
        hidden = relu(self.torch.addmm(weights[3], hidden, weights[2]))
        return self.torch.addmm(weights[5], hidden, weights[4])

    def conv2d(self, x, _, kernel, bias):
        return self.functional.conv2d(x, kernel, bias, padding=1)

    def group_conv2d(self, x, _, kernel, bias):
        return self.functional.conv2d(x, kernel, bias, padding=1, groups=GROUPS)

    def max_pool(self, x, _):
        return self.functional.max_pool2d(x, 2)

    def average_pool(self, x, _):
        return self.functional.avg_pool2d(x, 2)

    def batch_norm(self, x, _, scale, shift):
        return self.functional.batch_norm(x, None, None, scale, shift, training=True)

    batch_norm2d = batch_norm

    def layer_norm(self, x, _, scale, shift):
        return self.functional.layer_norm(x, scale.shape, scale, shift)

    def rms_norm(self, x, _, scale):
        return self.functional.rms_norm(x, scale.shape, scale, 1e-5)

    def dropout(self, x, _):
        return x * self.mask

    def embedding(self, _, ids, table):
        return self.functional.embedding(ids, table)

    def attention(self, x, _, weights, bias, output, output_bias):
        batch, time, width = x.shape
        product = self.torch.addmm(bias, x.view(-1, width), weights)
        parts = product.view(batch, time, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        heads = self.functional.scaled_dot_product_attention(*parts, is_causal=True)
        merged = heads.transpose(1, 2).reshape(-1, width)
        return self.torch.addmm(output_bias, merged, output).view(batch, time, width)

    def cross_entropy(self, logits, labels):
        return self.functional.cross_entropy(logits, labels)


class JaxLayers:
    """The same."""

    def __init__(self, peer):
        self.jax = peer.jax
        self.numpy = peer.jax.numpy
        mask = peer.random.binomial(1, 0.9, ROWS).astype("f4") / peer.numpy.float32(0.9)
        self.mask = self.numpy.array(mask)

    def linear(self, x, _, weights, bias):
        return x @ weights + bias

    def mlp(self, x, _, *weights):
        relu = self.jax.nn.relu
        hidden = relu(x @ weights[0] + weights[1])
        return relu(hidden @ weights[2] + weights[3]) @ weights[4] + weights[5]

    def conv2d(self, x, _, kernel, bias, groups=1):
        product = self.jax.lax.conv_general_dilated(
            x,
            kernel,
            (1, 1),
            "SAME",
            dimension_numbers=("NCHW", "OIHW", "NCHW"),
            feature_group_count=groups,
        )
        return product + bias[None, :, None, None]

    def group_conv2d(self, x, _, kernel, bias):
        return self.conv2d(x, _, kernel, bias, GROUPS)

    def pool(self, x, initial, combine):
        window = (1, 1, 2, 2)
        return self.jax.lax.reduce_window(x, initial, combine, window, window, "VALID")

    def max_pool(self, x, _):
        return self.pool(x, -float("inf"), self.jax.lax.max)

    def average_pool(self, x, _):
        return self.pool(x, 0.0, self.jax.lax.add) / 4

    def normalized(self, x, axes):
        centered = x - x.mean(axes, keepdims=True)
        variance = (centered * centered).mean(axes, keepdims=True)
        return centered / self.numpy.sqrt(variance + 1e-5)

    def batch_norm(self, x, _, scale, shift):
        return self.normalized(x, 0) * scale + shift

    def batch_norm2d(self, x, _, scale, shift):
        scaled = self.normalized(x, (0, 2, 3)) * scale[None, :, None, None]
        return scaled + shift[None, :, None, None]

    def layer_norm(self, x, _, scale, shift):
        return self.normalized(x, 1) * scale + shift

    def rms_norm(self, x, _, scale):
        square = (x * x).mean(1, keepdims=True)
        return x / self.numpy.sqrt(square + 1e-5) * scale

    def dropout(self, x, _):
        return x * self.mask

    def embedding(self, _, ids, table):
        return table[ids]

    def attention(self, x, _, weights, bias, output, output_bias):
        numpy = self.numpy
        batch, time, width = x.shape
        q, k, v = numpy.split(x @ weights + bias, 3, axis=2)
        q, k, v = (part.reshape(batch, time, HEADS, -1) for part in (q, k, v))
        mask = numpy.where(numpy.tril(numpy.ones((time, time))) == 1, 0, -float("inf"))
        scores = numpy.einsum("bqhd,bkhd->bhqk", q, k) / (width / HEADS) ** 0.5 + mask
        heads = numpy.einsum("bhqk,bkhd->bqhd", self.jax.nn.softmax(scores), v)
        return heads.reshape(batch, time, width) @ output + output_bias

    def cross_entropy(self, logits, labels):
        chosen = self.numpy.arange(labels.shape[0]), labels
        return -self.jax.nn.log_softmax(logits)[chosen].mean()
