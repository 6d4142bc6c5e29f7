"""Writes a model's files: export.py WORK/SIZE TABLE.npz FOLDER NAME [--centre].

Rows are multiplied with their weights and rounded to int8; `weights` in the file is then each row's
scale. `--centre` takes the mean row, by frequency, from each row.
"""
import json
import os
import shutil
import sys

import numpy as np
from safetensors.numpy import save_file


def quantize(rows):
    scales = np.abs(rows).max(1) / 127
    scales[scales == 0] = 1e-9
    numbers = np.clip(np.round(rows / scales[:, None]), -127, 127).astype(np.int8)
    return np.ascontiguousarray(numbers), scales.astype(np.float32)


def config_of(name, dimensions):
    return {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": name,
        "apply_pca": False,
        "apply_zipf": False,
        "hidden_dim": dimensions,
        "seq_length": 1_000_000,
        "normalize": True,
        "pooling": {"repeats": "log"},
        "embedding_dtype": "int8",
    }


def main(folder, table_path, output, name, *flags):
    table = np.load(table_path)
    rows = table["rows"] * table["weights"][:, None]
    if "--centre" in flags:
        frequencies = np.load(os.path.join(folder, "frequencies.npy"))
        rows = rows - ((frequencies / frequencies.sum())[:, None] * rows).sum(0)
    numbers, scales = quantize(rows.astype(np.float32))
    os.makedirs(output, exist_ok=True)
    path = os.path.join(output, "model.safetensors")
    save_file({"embeddings": numbers, "weights": scales}, path)
    os.chmod(path, 0o644)
    shutil.copyfile(os.path.join(folder, "tokenizer.json"), os.path.join(output, "tokenizer.json"))
    with open(os.path.join(output, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config_of(name, rows.shape[1]), file, indent=2)


if __name__ == "__main__":
    main(*sys.argv[1:])
