"""The loop that one writes against the API: loop.py <address of the server> <folder or file of JSON Lines> <most documents>.

One document a request, eight at a time, a line of JSON for each chunk. Prints the seconds that it took as JSON.
"""

import json
import os
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

THREADS = 8
INCLUDE = ["id", "document_id", "index", "metadata"]
url, source, most = sys.argv[1], sys.argv[2], int(sys.argv[3])


def documents():
    if os.path.isdir(source):
        for name in sorted(os.listdir(source)):
            with open(os.path.join(source, name), encoding="utf-8", newline="") as file:
                yield {"id": name, "text": file.read()}
    else:
        with open(source, encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def chunk(document):
    body = json.dumps({"documents": [document], "include": INCLUDE}).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return len(document["text"].encode()), json.load(answer)[0]


size = count = 0
begin = time.monotonic()
with ThreadPoolExecutor(THREADS) as pool, open(os.devnull, "w", encoding="utf-8") as out:
    for bytes_sent, chunks in pool.map(chunk, islice(documents(), most)):
        size += bytes_sent
        count += len(chunks)
        for one in chunks:
            print(json.dumps(one), file=out)
print(json.dumps({"seconds": time.monotonic() - begin, "bytes": size, "chunks": count}))
