import { batchesOf } from './batches.ts';
import { ChunksmithError } from './errors.ts';
import type { Documents, LineOf } from './inputs.ts';
import { linesIn } from './lines.ts';
import type { CallSettings } from './settings.ts';
import { Source } from './source.ts';
import { type Call, LINES, type Transport } from './transport.ts';

export interface StreamRequest<T> {
  readonly path: string;
  /** The first line. */
  readonly options: object;
  readonly items: Documents<T>;
}

type Answers<C> = AsyncGenerator<LineOf<C>, void, undefined>;

/** Sends items, and yields the answer to each in order. */
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
 * Whether `fetch` returns an answer before everything is sent. Node's does; browsers' do not, and for others it is
 * unknown.
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

/** A line is sent as soon as the connection accepts it. Never sent again, because sent lines are not kept. */
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

/** One request for all available items. It is retried if it is refused as a whole. */
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

/** The same lines. @throws ChunksmithError if some are missing at the end */
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
