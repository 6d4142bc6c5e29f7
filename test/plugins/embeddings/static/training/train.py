"""Makes rows for frequent parts: train.py PAGES PARTS OUTPUT. PARTS is what write-parts.ts wrote about PAGES.

A row is the part's direction in the space in which parts of the same stretch of a page are near each other: the
singular vectors of the matrix of stretches and parts, whitened, so that rare directions count as much as frequent ones.
Scripts share few parts, so each group of languages has all dimensions to itself.
OUTPUT has the hashes of the parts (uint32), their scales (float32), and 256 numbers of 4 bits, two in a byte, the first
in the lower bits, 8 more than they mean.
"""

import os
import sys

import numpy as np
import scipy.sparse as sp

DIMENSIONS = 256
ROWS = 11_264
GROUPS = {
    ("ja", "zh"): 0.45,
    ("bg", "ru", "uk"): 0.35,
    ("ko",): 0.1,
    ("ar", "bn", "el", "fa", "hi", "ta", "th"): 0.1,
}
# The most that a part counts, a logarithm, and in how many sentences a part with a row is at least.
RAREST, MIN = 8.0, 4
# Sentences of a stretch, and how many stretches are enough.
STRETCH, ENOUGH = 10, 20_000


def read(path):
    numbers = np.fromfile(path, np.uint32)
    heads, starts, lengths, at = [], [], [], 0
    while at < len(numbers):
        heads.append(numbers[at : at + 2])
        starts.append(at + 3)
        lengths.append(int(numbers[at + 2]))
        at = starts[-1] + lengths[-1]
    all_parts = np.concatenate([numbers[s : s + n] for s, n in zip(starts, lengths)])
    hashes, columns = np.unique(all_parts, return_inverse=True)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    counts = sp.csr_matrix((np.ones(len(columns), np.float32), columns, ends), shape=(len(heads), len(hashes)))
    counts.sum_duplicates()
    counts.data = 1 + np.log(counts.data)
    page, language = np.array(heads, np.int64).T
    return hashes, counts, page, language


def stretches(counts, page):
    """Sums of successive sentences of a page, of length 1."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(page)) + 1])
    first = np.repeat(starts, np.diff(np.concatenate([starts, [len(page)]])))
    place = (np.arange(len(page)) - first) // STRETCH
    _, stretch = np.unique(page * 10_000 + place, return_inverse=True)
    sums = (sp.csr_matrix((np.ones(len(page), np.float32), (stretch, np.arange(len(page))))) @ counts).tocsr()
    sums = sums[np.diff(sums.indptr) >= 5]
    if sums.shape[0] > ENOUGH:
        sums = sums[np.random.RandomState(1).choice(sums.shape[0], ENOUGH, replace=False)]
    lengths = np.sqrt(np.asarray(sums.multiply(sums).sum(1)).ravel())
    return (sp.diags(1 / lengths) @ sums).tocsr().astype(np.float32)


def singular(matrix, rank, rounds=3):
    """Singular values and right vectors, by random projection."""
    base = np.random.RandomState(0).randn(matrix.shape[1], min(rank + 16, matrix.shape[1])).astype(np.float32)
    for _ in range(rounds):
        base, _ = np.linalg.qr(matrix.T @ (matrix @ base))
    image = matrix @ base
    squares, vectors = np.linalg.eigh(image.T @ image)
    order = np.argsort(-squares)[:rank]
    return np.sqrt(np.maximum(squares[order], 1e-9)), base @ vectors[:, order]


def rows_of(counts, page, most, taken):
    """The columns of a group of languages, and their rows."""
    often = np.bincount(counts.indices, minlength=counts.shape[1])
    weight = np.minimum(np.log(len(page) / np.maximum(often, 1)), RAREST)
    worth = np.where(taken | (often < MIN), 0, often * weight)
    columns = np.argsort(-worth, kind="stable")[:most]
    columns = columns[worth[columns] > 0]
    weight = weight[columns].astype(np.float32)
    values, vectors = singular(stretches(counts[:, columns] @ sp.diags(weight), page), DIMENSIONS)
    rows = weight[:, None] * vectors / values
    # As much in all as with signs that count by the parts' weights.
    return columns, rows * np.sqrt((weight**2).sum() / (rows**2).sum())


def main(pages, parts, output):
    languages = sorted(name for name in os.listdir(pages))
    hashes, counts, page, language = read(parts)
    taken = np.zeros(len(hashes), bool)
    found = []
    for names, share in GROUPS.items():
        own = np.flatnonzero(np.isin(language, [languages.index(name) for name in names]))
        columns, rows = rows_of(counts[own], page[own], int(share * ROWS), taken)
        taken[columns] = True
        found.append((hashes[columns], rows))
        print(*names, len(own), "sentences", len(columns), "rows", flush=True)
    hashes, rows = (np.concatenate(each) for each in zip(*found))
    scales = (np.sqrt((rows**2).mean(1)) * 0.335).astype(np.float32)
    levels = np.clip(np.round(rows / scales[:, None]), -8, 7).astype(np.int64) + 8
    with open(output, "wb") as file:
        file.write(hashes.astype("<u4").tobytes())
        file.write(scales.astype("<f4").tobytes())
        file.write((levels[:, 0::2] | levels[:, 1::2] << 4).astype(np.uint8).tobytes())


main(*sys.argv[1:])
