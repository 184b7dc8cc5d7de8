"""The other side of exchange_test.cpp: NumPy and the reference implementation of safetensors.

exchange.py write FOLDER   writes files for topos to read
exchange.py check FOLDER   reads the arrays that topos wrote, which must be the same; check_safetensors, its checkpoint
"""

import os
import sys

import numpy

ROWS, COLUMNS = 3, 5


def arrays():
    """The arrays that exchange_test.cpp calls by the same names."""
    count = numpy.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    return {
        "f32": (count / 4).astype("<f4"),
        "f64": count / 3,
        "scalar": numpy.array(-0.0),
        "empty": numpy.zeros((0, 4), "<f4"),
        "special": numpy.array([numpy.inf, -numpy.inf, numpy.nan, 1e-45, -0.0], "<f4"),
    }


def write(folder):
    def at(name):
        return os.path.join(folder, name)

    for name, array in arrays().items():
        numpy.save(at(name + ".npy"), array)
    f32, f64 = arrays()["f32"], arrays()["f64"]
    for name, array in {
        "f16": f32.astype("<f2"),
        "big_f16": f32.astype(">f2"),
        "big_f32": f32.astype(">f4"),
        "big_f64": f64.astype(">f8"),
        "fortran_f64": numpy.asfortranarray(f64),
        "fortran_big_f32": numpy.asfortranarray(f32.astype(">f4")),
        "i64": numpy.array([1, -2]),
    }.items():
        numpy.save(at(name + ".npy"), array)
    for version in (2, 0), (3, 0):
        with open(at(f"version_{version[0]}.npy"), "wb") as file:
            numpy.lib.format.write_array(file, f32, version)
    numpy.savez(at("stored.npz"), **arrays())
    numpy.savez_compressed(at("deflated.npz"), **arrays())
    numpy.savez(at("none.npz"))


def check(folder):
    expected = arrays()

    def same(loaded):
        assert loaded.keys() == expected.keys(), list(loaded.keys())
        for name, array in expected.items():
            assert loaded[name].dtype == array.dtype and loaded[name].shape == array.shape, name
            assert loaded[name].tobytes() == array.tobytes(), name

    same({name: numpy.load(os.path.join(folder, name + ".npy")) for name in expected})
    for archive in "stored.npz", "deflated.npz":
        with numpy.load(os.path.join(folder, archive)) as loaded:
            same({name: loaded[name] for name in loaded})
    with numpy.load(os.path.join(folder, "none.npz")) as loaded:
        assert not loaded.files


def check_safetensors(folder):
    from safetensors import safe_open

    expected = arrays()
    with safe_open(os.path.join(folder, "all.safetensors"), "numpy") as file:
        assert file.metadata() == {"step": "7", "note": 'quoted " and \u00fc'}, file.metadata()
        assert sorted(file.keys()) == sorted(expected), file.keys()
        for name, array in expected.items():
            loaded = file.get_tensor(name)
            assert loaded.dtype == array.dtype and loaded.shape == array.shape, name
            assert loaded.tobytes() == array.tobytes(), name


if __name__ == "__main__":
    {"write": write, "check": check, "check_safetensors": check_safetensors}[sys.argv[1]](sys.argv[2])
