"""First vectors from what stands near each other: first_vectors.py WORK SIZE.

Positive pointwise mutual information within 10 tokens, cut to 256 dimensions by a randomised
singular value decomposition. Writes WORK/<SIZE>/first.npy.
"""
import ctypes
import os
import sys

import numpy as np
import torch
from scipy.sparse import csr_matrix, vstack

from native import load, pointer

DIMENSIONS = 256
SPARE_DIMENSIONS = 40
WINDOW = 10
MIN_WEIGHT = 0.3
CONTEXT_POWER = 0.75
ROWS_AT_ONCE = 15_000


def count_neighbours(ids, size):
    """A sparse matrix of weighted counts without the smallest, and the sums of all rows."""
    native, blocks, sums = load("cooccurrence"), [], np.zeros(size)
    for first in range(0, size, ROWS_AT_ONCE):
        end = min(size, first + ROWS_AT_ONCE)
        counts = np.zeros((end - first, size), np.float32)
        native.count(pointer(ids), ctypes.c_int64(len(ids)), size, WINDOW, first, end, pointer(counts))
        sums[first:end] = counts.sum(1, dtype=np.float64)
        for start in range(0, end - first, 1500):
            part = counts[start : start + 1500]
            part[part < MIN_WEIGHT] = 0
            blocks.append(csr_matrix(part))
    return vstack(blocks, format="csr"), sums


def weigh(counts, sums):
    """Turns counts into positive mutual information; frequent contexts count for less."""
    contexts = sums**CONTEXT_POWER
    contexts /= contexts.sum()
    rows = np.repeat(np.arange(len(sums)), np.diff(counts.indptr))
    values = np.log(counts.data) - np.log(np.maximum(sums, 1e-9))[rows].astype(np.float32)
    values -= np.log(np.maximum(contexts, 1e-15))[counts.indices].astype(np.float32)
    counts.data = np.maximum(values, 0).astype(np.float32)
    counts.eliminate_zeros()
    return counts


def decompose(matrix):
    """The first left singular vectors, each times the square root of its value."""
    forth, back = as_tensor(matrix), as_tensor(matrix.T.tocsr())
    width = min(DIMENSIONS + SPARE_DIMENSIONS, matrix.shape[0])
    basis = torch.randn(matrix.shape[0], width, generator=torch.Generator().manual_seed(0))
    for turn in range(5):
        basis, _ = torch.linalg.qr(forth @ (back @ basis) if turn else forth @ basis)
    image = back @ basis
    vectors, squares, _ = torch.linalg.svd(image.T @ image)
    return ((basis @ vectors)[:, :DIMENSIONS] * squares[:DIMENSIONS] ** 0.25).numpy().astype(np.float32)


def as_tensor(matrix):
    rows, columns = (torch.from_numpy(part.astype(np.int64)) for part in (matrix.indptr, matrix.indices))
    return torch.sparse_csr_tensor(rows, columns, torch.from_numpy(matrix.data), size=matrix.shape)


def main(work, size):
    folder = os.path.join(work, size)
    ids = np.load(os.path.join(folder, "ids.npy"))
    counts, sums = count_neighbours(ids, len(np.load(os.path.join(folder, "frequencies.npy"))))
    np.save(os.path.join(folder, "first.npy"), decompose(weigh(counts, sums)))


if __name__ == "__main__":
    main(*sys.argv[1:])
