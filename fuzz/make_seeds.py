"""Writes the seeds: small files, good and bad, that the fuzzers begin with and a test reads.

pip install safetensors==0.8.0 numpy==2.4.6 ml-dtypes==0.6.0
python fuzz/make_seeds.py
"""

import io
import os
import struct
import zipfile

import ml_dtypes
import numpy
from safetensors.numpy import save

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")
F32 = numpy.arange(6, dtype="<f4").reshape(2, 3)


def keep(folder, name, content):
    os.makedirs(os.path.join(SEEDS, folder), exist_ok=True)
    with open(os.path.join(SEEDS, folder, name), "wb") as file:
        file.write(content)


def safetensors(json, size=0):
    return struct.pack("<Q", len(json)) + json.encode() + bytes(size)


def npy(array, version=None):
    buffer = io.BytesIO()
    numpy.lib.format.write_array(buffer, array, version)
    return buffer.getvalue()


def npz(save_archive, **arrays):
    buffer = io.BytesIO()
    save_archive(buffer, **arrays)
    return buffer.getvalue()


def archive(name, content, method):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        file.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def make_safetensors():
    tensors = {"a": F32, "b": F32.astype("<f8"), "h": F32.astype("<f2"), "i": numpy.array([1]), "e": F32[:0]}
    tensors["s"] = numpy.array(1, "<f4")
    tensors["w"] = F32.astype(ml_dtypes.bfloat16)
    keep("safetensors", "good_reference", save(tensors, {"format": "pt"}))
    keep("safetensors", "good_empty", safetensors("{}"))
    entry = '{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}'
    keep("safetensors", "good_unordered", safetensors(
        '{"b":' + entry % ("BF16", "2", 4, 8) + ',"a":' + entry % ("U8", "4,1", 0, 4) + "} ", 8))
    for name, content in {
        "bad_overlap": '{"b":' + entry % ("F32", "1", 0, 4) + ',"a":' + entry % ("F32", "1", 0, 4) + "}",
        "bad_hole": '{"b":' + entry % ("F32", "1", 4, 8) + "}",
        "bad_twice": '{"b":' + entry % ("F32", "1", 0, 4) + ',"b":' + entry % ("F32", "1", 4, 8) + "}",
        "bad_overflow": '{"b":' + entry % ("F32", "4294967296,4294967296", 0, 8) + "}",
        "bad_depth": '{"b":{"dtype":{"a":[[[[[[[[[]]]]]]]]]}}}',
        "bad_number": '{"b":' + entry % ("F32", "1e2,-1,99999999999999999999", 0, 8) + "}",
    }.items():
        keep("safetensors", name, safetensors(content, 8))


def make_npy():
    keep("npy", "good_f4", npy(F32))
    keep("npy", "good_fortran_f8", npy(numpy.asfortranarray(F32.astype("<f8"))))
    keep("npy", "good_big_f2", npy(F32.astype(">f2")))
    keep("npy", "good_scalar", npy(numpy.array(1.0)))
    keep("npy", "good_empty", npy(F32[:0]))
    keep("npy", "good_version_3", npy(F32, (3, 0)))
    keep("npy", "good_bool", npy(F32 > 2))
    keep("npy", "bad_object", npy(numpy.array([None])))
    keep("npy", "bad_names", npy(numpy.zeros(1, [("a", "<f4")])))
    keep("npy", "bad_short", npy(F32)[:-1])


def make_npz():
    keep("npz", "good_stored", npz(numpy.savez, a=F32, b=F32 > 2))
    keep("npz", "good_deflated", npz(numpy.savez_compressed, a=F32, b=numpy.array(1.0)))
    keep("npz", "good_empty", npz(numpy.savez))
    keep("npz", "bad_text", archive("a.npy", "text", zipfile.ZIP_STORED))
    keep("npz", "bad_name", archive("a.txt", npy(F32), zipfile.ZIP_STORED))
    keep("npz", "bad_method", archive("a.npy", npy(F32), zipfile.ZIP_BZIP2))
    keep("npz", "bad_size", archive("a.npy", npy(F32) + b" ", zipfile.ZIP_DEFLATED))
    changed = bytearray(archive("a.npy", npy(F32), zipfile.ZIP_STORED))
    changed[changed.index(b"NUMPY") + 130] ^= 1
    keep("npz", "bad_checksum", changed)


if __name__ == "__main__":
    make_safetensors()
    make_npy()
    make_npz()
