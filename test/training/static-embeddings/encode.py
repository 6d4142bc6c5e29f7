"""Encodes the corpus and its pairs: encode.py WORK SIZE.

Writes ids.npy (with -1 after each paragraph), frequencies.npy and pairs.npz to WORK/<SIZE>.
"""
import os
import sys

import numpy as np
from tokenizers import Tokenizer

from words import WORD, normalize

MAX_TEXT_LENGTH = 160


def create_encoder(tokenizer):
    """Encodes word by word, and remembers each word's ids. Unknown ones are left out."""
    unknown = tokenizer.token_to_id("[UNK]")
    known = {}

    def ids_of(word):
        ids = known.get(word)
        if ids is None:
            ids = known[word] = [index for index in tokenizer.encode(word).ids if index != unknown]
        return ids

    return lambda text: [index for word in WORD.findall(normalize(text)) for index in ids_of(word)]


def rows_of(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")


def join(lists):
    """Puts lists of ids into one array, piece by piece to save memory."""
    arrays, buffer = [], []
    for ids in lists:
        buffer += ids
        if len(buffer) > 5_000_000:
            arrays.append(np.array(buffer, np.int32))
            buffer = []
    return np.concatenate([*arrays, np.array(buffer, np.int32)])


def encode_pairs(work, encode):
    sources, kinds, offsets, sides = [], [], [0], []
    for source, kind, one, other in rows_of(os.path.join(work, "pairs.tsv")):
        ids = encode(one)[:MAX_TEXT_LENGTH], encode(other)[:MAX_TEXT_LENGTH]
        if not all(ids):
            continue
        sources.append(source)
        kinds.append(kind)
        for side in ids:
            sides.append(np.array(side, np.int32))
            offsets.append(offsets[-1] + len(side))
    return {
        "ids": np.concatenate(sides),
        "offsets": np.array(offsets, np.int64),
        "sources": np.array(sources),
        "kinds": np.array(kinds),
    }


def main(work, size):
    folder = os.path.join(work, size)
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    encode = create_encoder(tokenizer)
    ids = join(encode(row[1]) + [-1] for row in rows_of(os.path.join(work, "text.txt")))
    frequencies = np.bincount(ids[ids >= 0], minlength=tokenizer.get_vocab_size()).astype(np.float64)
    np.save(os.path.join(folder, "ids.npy"), ids)
    np.save(os.path.join(folder, "frequencies.npy"), frequencies)
    pairs = encode_pairs(work, encode)
    np.savez(os.path.join(folder, "pairs.npz"), **pairs)
    print(int(frequencies.sum()), "tokens", len(pairs["sources"]), "pairs")


if __name__ == "__main__":
    main(*sys.argv[1:])
