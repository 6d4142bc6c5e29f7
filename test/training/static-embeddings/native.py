"""The parts that are written in C: compiled when they are loaded."""
import ctypes
import os
import subprocess
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]


def load(name):
    library = os.path.join(tempfile.mkdtemp(), f"{name}.so")
    subprocess.run(["cc", *FLAGS, "-o", library, os.path.join(FOLDER, f"{name}.c")], check=True)
    return ctypes.CDLL(library)


def pointer(array):
    """The address of a NumPy array's or a tensor's numbers."""
    return ctypes.c_void_p(array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data)
