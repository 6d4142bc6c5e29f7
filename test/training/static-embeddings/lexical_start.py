"""Joins a trained table with signs by chance, which tell words apart: lexical_start.py WORK/SIZE TABLE OUTPUT.

The first 256 dimensions are those of the table; the others are the same for no two tokens, and
weigh as much as the first ones in all, rare tokens more than frequent ones.
"""
import os
import sys

import numpy as np

KEPT = 256
FREQUENCY_SCALE = 1e-4


def main(folder, table_path, output):
    table = np.load(table_path)
    frequencies = np.load(os.path.join(folder, "frequencies.npy"))
    share = np.maximum(frequencies, 1) / frequencies.sum()
    kept, weights = table["rows"][:, :KEPT], table["weights"]
    added = table["rows"].shape[1] - KEPT
    lexical = FREQUENCY_SCALE / (FREQUENCY_SCALE + share)
    lexical *= np.sqrt((share * ((kept * weights[:, None]) ** 2).sum(1)).sum() / (share * lexical**2).sum())
    signs = np.random.default_rng(100).integers(0, 2, (len(share), added)) * 2 - 1
    signs = signs.astype(np.float32) / np.sqrt(added)
    rows = np.concatenate([kept, (lexical / weights)[:, None] * signs], 1).astype(np.float32)
    np.savez(output, rows=rows, weights=weights)


if __name__ == "__main__":
    main(*sys.argv[1:])
