import { spawn } from 'node:child_process';
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
export const STATIC_PROGRAM = join(import.meta.dirname, 'static.py');

/**
 * Starts `static.py`. Undefined, with a message, if it cannot run here.
 *
 * @param file holds the texts as JSON
 */
export async function startPython(folder: string, file: string): Promise<Embedder | undefined> {
  const child = spawn(PYTHON, [STATIC_PROGRAM, folder, file], { stdio: ['pipe', 'pipe', 'pipe'] });
  const failed = new Promise<string>((resolve) => {
    child.stderr
      .setEncoding('utf8')
      .on('data', (said: string) => resolve(said.trim().split('\n').at(-1) ?? ''));
    child.on('error', ({ message }) => resolve(message));
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  const ask = (line: string) => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  const version: string | null = await next();
  if (version === null) {
    console.log(
      `No rows of Python, pip install tokenizers numpy (BENCH_PYTHON names its program): ${await failed}\n`,
    );
    return undefined;
  }
  return {
    name: version,
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
