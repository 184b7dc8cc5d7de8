"""Writes reference.safetensors with the reference implementation.

pip install safetensors==0.8.0 numpy==2.4.6 ml-dtypes==0.6.0
python tests/io/data/make_reference.py
"""

import os

import ml_dtypes
import numpy
from safetensors.numpy import save_file

TENSORS = {
    "f32": numpy.arange(6, dtype=numpy.float32).reshape(2, 3) / 2,
    "f64": numpy.array([0.1, -0.0]),
    "f16": numpy.array([1, -2.5, 2**-24], numpy.float16),
    "bf16": numpy.array([1, -2.5, 3.14159], ml_dtypes.bfloat16),
    "scalar": numpy.array(3, numpy.float32),
    "empty": numpy.zeros((0, 2), numpy.float32),
    "i64": numpy.array([1, -2]),
    "flags": numpy.array([True, False, True]),
    "model.layers.0.weight": numpy.ones((1, 1), numpy.float32),
}

if __name__ == "__main__":
    folder = os.path.dirname(os.path.abspath(__file__))
    save_file(TENSORS, os.path.join(folder, "reference.safetensors"), {"format": "pt", "step": "7"})
