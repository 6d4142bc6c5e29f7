"""The vectors of a static model by tokenizers and numpy: static.py <folder of the model> <file of JSON: a list of texts>.

Each line of standard input is a run over all texts. Prints the versions, then the milliseconds of processor time of each run,
each as a line of JSON; with the line "vectors", the vectors in base64 instead. At the end, what the process has used.
"""

import base64
import json
import os
import resource
import sys
import time

os.environ.update(TOKENIZERS_PARALLELISM="false", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import numpy
import tokenizers

folder, source = sys.argv[1:]
tokenizer = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
unknown = tokenizer.token_to_id("[UNK]")
with open(os.path.join(folder, "model.safetensors"), "rb") as file:
    length = int.from_bytes(file.read(8), "little")
    header = json.loads(file.read(length))
    data = file.read()


def tensor(name):
    entry = header[name]
    begin, end = entry["data_offsets"]
    kind = {"I8": numpy.int8, "F32": numpy.float32}[entry["dtype"]]
    return numpy.frombuffer(data[begin:end], kind).reshape(entry["shape"])


table = tensor("embeddings") * tensor("weights")[:, None]
with open(source, encoding="utf-8") as file:
    texts = json.load(file)


def embed():
    vectors = numpy.zeros((len(texts), table.shape[1]), numpy.float32)
    for row, encoding in enumerate(tokenizer.encode_batch_fast(texts, add_special_tokens=False)):
        ids, counts = numpy.unique(encoding.ids, return_counts=True)
        known = ids != unknown
        vector = (1 + numpy.log(counts[known])).astype(numpy.float32) @ table[ids[known]]
        vectors[row] = vector / (numpy.linalg.norm(vector) or 1)
    return vectors


print(json.dumps(f"Python {sys.version.split()[0]}, tokenizers {tokenizers.__version__}, numpy {numpy.__version__}"), flush=True)
for line in sys.stdin:
    begin = time.process_time()
    vectors = embed()
    spent = 1000 * (time.process_time() - begin)
    print(json.dumps(base64.b64encode(vectors.tobytes()).decode() if line.strip() == "vectors" else spent), flush=True)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"cpu": usage.ru_utime + usage.ru_stime, "peak": 1024 * usage.ru_maxrss}))
