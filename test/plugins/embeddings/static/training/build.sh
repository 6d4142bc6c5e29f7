#!/bin/sh
# Trains the rows of parts from the sources: build.sh WORK.
set -eu
here=$(dirname "$0")
work=$1

python3 "$here/pages.py" "$work/clones" "$work/pages"
node --max-old-space-size=6000 "$here/write-texts.ts" "$work/pages" "$work/texts"
python3 "$here/train.py" "$work/texts" "$here/../../../../../plugins/embeddings/static/lexical/parts-3.bin"
