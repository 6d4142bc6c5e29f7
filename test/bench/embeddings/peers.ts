import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { env, pipeline } from '@huggingface/transformers';

/** What embeds a list of texts. */
export interface Embedder {
  readonly name: string;
  /** All vectors, one after the other. */
  vectors(): Promise<Float32Array>;
  /** Milliseconds of processor time of a run over all texts, if it is another process. */
  sample?(): Promise<number>;
  close?(): void;
}

/** The Python that has tokenizers and numpy; `BENCH_PYTHON` names another one. */
export const PYTHON = process.env.BENCH_PYTHON ?? 'python3';

/** Whether there is such a Python; says so if there is not. */
export function hasPython(): boolean {
  const { status } = spawnSync(PYTHON, ['-c', 'import numpy, tokenizers']);
  if (status !== 0)
    console.log(
      `No rows of Python: pip install tokenizers numpy; BENCH_PYTHON names another than ${PYTHON}.\n`,
    );
  return status === 0;
}

/** The command that runs `static.py` with a model of ours. @param file holds the texts as JSON */
export function staticCommand(model: string, file: string): [command: string, args: string[]] {
  return [PYTHON, [join(import.meta.dirname, 'static.py'), join(OWN_MODELS, model), file]];
}

/** The folder of the models that come with the service. */
export const OWN_MODELS = join(import.meta.dirname, '../../../plugins/embeddings/static/models');

/** Starts `static.py`, which ends when it is closed. */
export async function startPython(model: string, file: string): Promise<Embedder> {
  const child = spawn(...staticCommand(model, file), { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  const ask = (line: string) => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  return {
    name: await next(),
    async vectors() {
      const bytes = Buffer.from(await ask('vectors'), 'base64');
      return new Float32Array(Uint8Array.from(bytes).buffer);
    },
    sample: () => ask('run'),
    close: () => child.stdin.end(),
  };
}

/** The pipeline of `@huggingface/transformers` with one thread. @param models the folder of `<owner>/<name>/` */
export async function openTransformers(models: string, name: string, texts: string[]): Promise<Embedder> {
  Object.assign(env, { localModelPath: `${models}/`, allowRemoteModels: false });
  const extract = await pipeline('feature-extraction', name, {
    dtype: 'fp32',
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  });
  return {
    name: `@huggingface/transformers ${env.version}`,
    vectors: async () => (await extract(texts, { pooling: 'mean', normalize: true })).data as Float32Array,
  };
}
