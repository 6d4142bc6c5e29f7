#!/bin/sh
# Trains both models from the sources: build.sh WORK [EVALUATION]. Needs 16 GB of memory.
set -eu
here=$(dirname "$0")
work=$1
run() { program=$1; shift; python3 "$here/$program.py" "$@"; }

run fetch "$work"
run corpus "$work" ${2:+"$2"}
run vocabulary "$work" 30000 60000
for size in 30000 60000; do
  run encode "$work" $size
  run first_vectors "$work" $size
done

run train "$work/30000" "$work/static.npz"
run export "$work/30000" "$work/static.npz" "$work/static-en-256" wordpiece-30k-lower --centre

run train "$work/60000" "$work/wide.npz" --dimensions 512
run lexical_start "$work/60000" "$work/wide.npz" "$work/lexical.npz"
run train "$work/60000" "$work/retrieval.npz" --start "$work/lexical.npz" --whole --steps 500 \
  --rate 7e-4 --weight-rate 2e-3 --longest 160 --kinds qa,ict,head,summ,gloss,example
run export "$work/60000" "$work/retrieval.npz" "$work/retrieval-en-512" wordpiece-60k-lower
