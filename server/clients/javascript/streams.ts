import { ChunksmithError } from './errors.ts';
import type { Documents, LineOf } from './inputs.ts';
import { type Call, type CallSettings, LINES, linesIn, type Transport } from './transport.ts';

class Source<T> {
  readonly #iterator: Iterator<T> | AsyncIterator<T>;
  taken = 0;
  isDone = false;
  failure: { readonly error: unknown } | undefined;

  readonly #signal: AbortSignal | undefined;

  /** @param signal aborts the wait for the next item */
  constructor(items: Documents<T>, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  }

  async line(): Promise<string | undefined> {
    try {
      const { done, value } = await unlessAborted(this.#iterator.next(), this.#signal);
      if (done === true) {
        this.isDone = true;
        return undefined;
      }
      this.taken++;
      return `${JSON.stringify(value)}\n`;
    } catch (error) {
      this.isDone = true;
      this.failure = { error };
      throw error;
    }
  }

  end(): void {
    if (this.isDone) return;
    this.isDone = true;
    Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
  }
}

/** Awaits a promise, but rejects with the signal's reason if the signal is aborted first. */
async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const MAX_BYTES = 262_144;
const MAX_LINES = 1000;
/** Milliseconds that a batch waits for each further line. */
const MAX_WAIT = 50;

/** Groups lines into batches. A batch ends at a size limit, or if the next line takes longer than `MAX_WAIT`. */
async function* batchesOf<T>(source: Source<T>): AsyncGenerator<string[], void, undefined> {
  let next = begun(source);
  for (;;) {
    const batch: string[] = [];
    let length = 0;
    let line: string | typeof LATE | undefined = await next;
    while (line !== undefined && line !== LATE) {
      batch.push(line);
      length += line.length;
      next = begun(source);
      if (length > MAX_BYTES || batch.length === MAX_LINES) break;
      line = await soon(next);
    }
    if (batch.length > 0) yield batch;
    if (line === undefined) return;
  }
}

function begun<T>(source: Source<T>): Promise<string | undefined> {
  const line = source.line();
  line.catch(() => undefined);
  return line;
}

const LATE = Symbol('late');

async function soon<T>(promise: Promise<T>): Promise<T | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), MAX_WAIT);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface StreamRequest<T> {
  readonly path: string;
  readonly options: object;
  readonly items: Documents<T>;
}

type Answers<C> = AsyncGenerator<LineOf<C>, void, undefined>;

export async function* streamed<T, C>(
  transport: Transport,
  { path, options, items }: StreamRequest<T>,
  settings: CallSettings = {},
): Answers<C> {
  const source = new Source(items, settings.signal);
  const first = `${JSON.stringify(options)}\n`;
  const call = { path, headers: { 'content-type': LINES } };
  const send = answersWhileSending() ? inOneRequest<T, C> : inBatches<T, C>;
  try {
    yield* send(transport, { call, first, source }, settings);
  } catch (error) {
    throw source.failure === undefined ? error : source.failure.error;
  } finally {
    source.end();
  }
}

/**
 * Whether `fetch` returns the answer before the request body is complete. Node does; browsers do not. Other runtimes
 * are treated like browsers.
 */
function answersWhileSending(): boolean {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  return process?.versions?.node !== undefined && !('Bun' in globalThis) && !('Deno' in globalThis);
}

interface Sending<T> {
  readonly call: Call;
  readonly first: string;
  readonly source: Source<T>;
}

/** Sends each line as soon as the connection accepts it. Never retries, because sent lines are not kept. */
async function* inOneRequest<T, C>(
  transport: Transport,
  { call, first, source }: Sending<T>,
  settings: CallSettings,
): Answers<C> {
  const watch = transport.watch(settings);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(first)),
      async pull(controller) {
        const line = await source.line();
        watch.touch();
        if (line === undefined) controller.close();
        else controller.enqueue(encoder.encode(line));
      },
      cancel: () => source.end(),
    },
    { highWaterMark: 0 },
  );
  try {
    const answer = await transport.open({ ...call, body }, settings, watch);
    yield* complete(linesIn<LineOf<C>>(answer, watch), source);
  } finally {
    watch.end();
  }
}

/** Sends one request per batch of lines. Retries a request only until its answer begins. */
async function* inBatches<T, C>(
  transport: Transport,
  { call, first, source }: Sending<T>,
  settings: CallSettings,
): Answers<C> {
  let begin = 0;
  for await (const lines of batchesOf(source)) {
    const sent = { taken: lines.length, isDone: true };
    const answers = transport.lines<LineOf<C>>({ ...call, body: first + lines.join('') }, settings);
    for await (const line of complete(answers, sent)) yield { ...line, index: line.index + begin };
    begin += lines.length;
  }
}

/** Yields the given answers. @throws ChunksmithError if there are fewer answers than sent lines */
async function* complete<C>(
  lines: Answers<C>,
  sent: { readonly taken: number; readonly isDone: boolean },
): Answers<C> {
  let answered = 0;
  let last: LineOf<C> | undefined;
  for await (last of lines) {
    answered++;
    yield last;
  }
  if (sent.isDone && answered >= sent.taken) return;
  const { status, detail } = last?.error ?? {};
  const why = detail ?? `it ended after ${answered} of ${sent.taken} answers.`;
  throw new ChunksmithError({ code: 'cut_off', detail: `The stream ended early: ${why}`, status });
}
