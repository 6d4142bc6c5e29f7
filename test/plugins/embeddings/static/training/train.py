"""Trains rows of frequent parts: train.py TEXTS OUTPUT. TEXTS is what write-texts.ts wrote.

The two texts of a pair come near each other, and away from other texts of their language. A part starts with a direction by
chance and a weight that is low if it is in many paragraphs; both are trained.
OUTPUT has the hashes of the parts (uint32), their scales (float32), and 256 numbers of 4 bits, two in a byte, the first
in the lower bits, 8 more than they mean.
"""

import ctypes
import os
import subprocess
import sys
import tempfile

import numpy as np

DIMENSIONS = 256
ROWS = 100_000
STEPS, BATCH = 1500, 256
TEMPERATURE = 0.05
RATE, WEIGHT_RATE = 2.5e-3, 7e-3
# The power of the first weights, which are logarithms: frequent parts count a little more than by their frequency.
POWER = 0.9
# The length of the longest of the first rows: in the plugin, parts without a row count RAREST.
LONGEST = 10.0


def compile_sums():
    folder = os.path.dirname(os.path.abspath(__file__))
    library = os.path.join(tempfile.mkdtemp(), "sums.so")
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, os.path.join(folder, "sums.c"), "-lm"], check=True)
    return ctypes.CDLL(library)


SUMS = compile_sums()


def call(function, *arguments):
    kinds = {int: ctypes.c_int64, float: ctypes.c_float}
    function(*(kinds[type(one)](one) if type(one) in kinds else ctypes.c_void_p(one.ctypes.data) for one in arguments))


def read(folder, name, kind=np.uint32):
    return np.fromfile(os.path.join(folder, name), kind)


def places(values, wanted):
    """The places of the wanted among sorted values, and whether they are there."""
    at = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return at, values[at] == wanted


def choose_parts(folders):
    """The hashes of the parts that are most frequent in some language, as many in each, and their weights."""
    languages = [(read(one, "parts"), read(one, "often"), int(read(one, "paragraphs")[0])) for one in folders]
    ranked = [parts[np.argsort(-often.astype(np.int64), kind="stable")] for parts, often, _ in languages]
    most, step = 0, ROWS
    while step > 0:
        if len(np.unique(np.concatenate([parts[: most + step] for parts in ranked]))) <= ROWS:
            most += step
        step //= 2
    hashes = np.unique(np.concatenate([parts[:most] for parts in ranked]))
    weights = np.full(len(hashes), np.inf)
    for parts, often, paragraphs in languages:
        at, there = places(hashes, parts)
        weights[at[there]] = np.minimum(weights[at[there]], np.log(paragraphs / often[there]))
    return hashes, np.maximum(weights, 0.3) ** POWER


class Texts:
    """The pairs of texts of a language, and their parts that have a row."""

    def __init__(self, folder, hashes, random):
        lengths = read(folder, "lengths").astype(np.int64)
        at, there = places(hashes, read(folder, "hashes"))
        owner = np.repeat(np.arange(len(lengths)), lengths)[there]
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(lengths)))])
        self.parts = at[there].astype(np.int32)
        self.times = (1 + np.log(read(folder, "counts", np.uint8)[there])).astype(np.float32)
        self.pairs = read(folder, "pairs").reshape(-1, 3)[:, 1:].astype(np.int64)
        self.random = random
        self.rest = self.pairs[:0]

    def batch(self):
        if len(self.rest) < BATCH:
            self.rest = self.random.permutation(self.pairs)
        batch, self.rest = self.rest[:BATCH], self.rest[BATCH:]
        return batch

    def of(self, texts):
        """The parts of texts, how often each counts, and where each text starts."""
        first, lengths = self.starts[texts], self.starts[texts + 1] - self.starts[texts]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        at = np.repeat(first - starts[:-1], lengths) + np.arange(starts[-1])
        return self.parts[at], self.times[at], starts


def contrast(ones, others, is_same):
    """The loss of a batch of unit vectors, the n-th of each belonging together, and its gradients."""
    scores = ones @ others.T / TEMPERATURE
    right = scores.diagonal().copy()
    scores[is_same] = -np.inf
    powers = np.exp(scores - 1 / TEMPERATURE)
    by_row, by_column = powers.sum(1, keepdims=True), powers.sum(0, keepdims=True)
    loss = (np.log(by_row[:, 0]) + np.log(by_column[0])).mean() / 2 + 1 / TEMPERATURE - right.mean()
    scale = 1 / (2 * len(ones) * TEMPERATURE)
    of_scores = (scale * (powers / by_row + powers / by_column)).astype(np.float32)
    of_scores[np.diag_indices(len(ones))] -= 2 * scale
    return loss, of_scores @ others, of_scores.T @ ones


class Rows:
    def __init__(self, weights, random):
        self.rows = (random.standard_normal((len(weights), DIMENSIONS)) / DIMENSIONS**0.5).astype(np.float32)
        self.logarithms = np.log(weights).astype(np.float32)
        self.row_moments = np.zeros((len(weights), 2 * DIMENSIONS), np.float32)
        self.moments = np.zeros((len(weights), 2), np.float32)

    def step(self, texts, rate):
        """Learns from a batch of pairs. @return the loss before it"""
        pairs = texts.batch()
        parts, times, starts = texts.of(pairs.T.ravel())
        sums = np.empty((2 * BATCH, DIMENSIONS), np.float32)
        call(SUMS.add_up, self.rows, self.logarithms, DIMENSIONS, parts, times, starts, 2 * BATCH, sums)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-6
        units = sums / lengths
        # A text that is in two pairs is no wrong answer.
        is_same = (pairs[:, 1:] == pairs[:, 1]) & ~np.eye(BATCH, dtype=bool)
        loss, *gradients = contrast(units[:BATCH], units[BATCH:], is_same)
        of_units = np.concatenate(gradients)
        of_sums = ((of_units - (of_units * units).sum(1, keepdims=True) * units) / lengths).astype(np.float32)
        self.learn(parts, times, np.repeat(np.arange(2 * BATCH, dtype=np.int32), np.diff(starts)), of_sums, rate)
        return loss

    def learn(self, parts, times, texts, gradients, rate):
        order = np.argsort(parts, kind="stable")
        ids, begins = np.unique(parts[order], return_index=True)
        begins = np.append(begins, len(parts)).astype(np.int64)
        moments = self.row_moments, self.moments
        occurrences = texts[order], times[order], gradients
        rates = RATE * rate, WEIGHT_RATE * rate
        call(SUMS.learn, self.rows, self.logarithms, DIMENSIONS, ids, begins, len(ids), *occurrences, *moments, *rates)


def rate_at(step):
    """Rises over the first twentieth of the steps, then falls along a cosine."""
    return min(1, 20 * (step + 1) / STEPS) * max(0.02, 0.5 * (1 + np.cos(np.pi * step / STEPS)))


def write(output, hashes, rows):
    scales = (np.sqrt((rows**2).mean(1)) * 0.335).astype(np.float32)
    levels = np.clip(np.round(rows / scales[:, None]), -8, 7).astype(np.int64) + 8
    with open(output, "wb") as file:
        file.write(hashes.astype("<u4").tobytes())
        file.write(scales.astype("<f4").tobytes())
        file.write((levels[:, 0::2] | levels[:, 1::2] << 4).astype(np.uint8).tobytes())


def main(folder, output):
    random = np.random.default_rng(0)
    folders = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    hashes, weights = choose_parts(folders)
    languages = [Texts(one, hashes, random) for one in folders]
    shares = np.sqrt([len(one.pairs) for one in languages])
    rows = Rows(weights, random)
    losses = []
    for step in range(STEPS):
        texts = languages[random.choice(len(languages), p=shares / shares.sum())]
        losses.append(rows.step(texts, float(rate_at(step))))
        if step % 100 == 99:
            print(step + 1, "steps, loss", np.mean(losses[-100:]).round(3), flush=True)
    trained = rows.rows * np.exp(rows.logarithms)[:, None]
    write(output, hashes, trained * (LONGEST / weights.max()))


main(*sys.argv[1:])
