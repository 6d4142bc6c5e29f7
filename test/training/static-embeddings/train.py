"""Trains a table so that the two texts of a pair are near: train.py WORK/SIZE OUTPUT.npz [options]."""
import argparse
import math
import os

import numpy as np
import torch
import torch.nn.functional as F

from batches import Batches
from functions import ContrastiveLoss, SumOfBags

BATCH = 2048
TEMPERATURE = 0.05
INNER_DIMENSIONS = (256, 128, 64)
INNER_SHARE = 0.3
FREQUENCY_SCALE = 1e-3


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("output")
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=3e-3, help="learning rate of the rows")
    parser.add_argument("--weight-rate", type=float, default=3e-3, help="learning rate of the tokens' weights")
    parser.add_argument("--longest", type=int, default=96, help="tokens of a text that are used")
    parser.add_argument("--start", help="a table to start from, in place of first.npy")
    parser.add_argument("--kinds", help="kinds of pairs to train on, with commas between them")
    parser.add_argument("--whole", action="store_true", help="do not train the first dimensions to work alone")
    return parser.parse_args()


def first_table(options):
    """Rows of length 1, filled up by chance, and weights that are low for frequent tokens."""
    if options.start:
        table = np.load(options.start)
        return table["rows"], table["weights"]
    frequencies = np.load(os.path.join(options.folder, "frequencies.npy"))
    rows = np.load(os.path.join(options.folder, "first.npy"))[:, : options.dimensions]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    missing = options.dimensions - rows.shape[1]
    if missing > 0:
        noise = np.random.default_rng(2).standard_normal((len(rows), missing)) * 0.5 / math.sqrt(missing)
        rows = np.concatenate([rows, noise.astype(np.float32)], 1)
    noise = np.random.default_rng(1).standard_normal(rows.shape).astype(np.float32) * 0.02
    rows = np.where(np.linalg.norm(rows, axis=1, keepdims=True) < 0.5, noise, rows)
    share = frequencies / frequencies.sum()
    return rows.astype(np.float32), (FREQUENCY_SCALE / (FREQUENCY_SCALE + share)).astype(np.float32)


def rate_at(step, steps):
    """Rises over the first twentieth of the steps, then falls along a cosine."""
    rise = min(1, (step + 1) / max(1, steps * 0.05))
    return rise * max(0.02, 0.5 * (1 + math.cos(math.pi * step / steps)))


def loss_of(sums, count, widths):
    """The loss over all dimensions, and smaller ones over the first of them."""
    total = 0
    for index, width in enumerate(widths):
        ones, others = (F.normalize(side[:, :width], dim=1) for side in (sums[:count], sums[count:]))
        loss = ContrastiveLoss.apply(ones, others, TEMPERATURE)
        total = total + loss * (1 if index == 0 else INNER_SHARE)
    return total


def main(options):
    torch.manual_seed(0)
    pairs = np.load(os.path.join(options.folder, "pairs.npz"))
    kinds = set(options.kinds.split(",")) if options.kinds else None
    batches = Batches(pairs, kinds, BATCH, options.longest, np.random.default_rng(0))
    first_rows, first_weights = first_table(options)
    rows = torch.nn.Parameter(torch.tensor(first_rows))
    logarithms = torch.nn.Parameter(torch.tensor(np.maximum(first_weights, 1e-4)).log())
    rates = options.rate, options.weight_rate
    groups = [{"params": [part], "lr": rate} for part, rate in zip((rows, logarithms), rates)]
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.98), fused=True)
    inner = () if options.whole else (width for width in INNER_DIMENSIONS if width < rows.shape[1])
    widths = (rows.shape[1], *inner)
    for step in range(options.steps):
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * rate_at(step, options.steps)
        count, ids, starts = batches.next()
        loss = loss_of(SumOfBags.apply(rows, logarithms.exp(), ids, starts), count, widths)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(step, "loss", round(loss.item(), 3), flush=True)
    weights = logarithms.detach().exp().numpy()
    np.savez(options.output, rows=rows.detach().numpy(), weights=weights.astype(np.float32))


if __name__ == "__main__":
    main(read_arguments())
