import type { Kind } from '../../../core/contracts/manifest.ts';
import { isLacking } from '../../../core/hosting/plugin-error.ts';
import { isRefusal } from '../contracts/reader.ts';
import { thrownIn, unlessRefused } from '../report.ts';
import { type CheckResult, leftOut, ok, resultOf } from './result.ts';
import type { Subject } from './subject.ts';

const FIRST = 2000;
const MAX_LENGTH = 128_000;
/** Minimum milliseconds of processor time for a meaningful measurement. */
const ENOUGH = 300;
const TIMES = 16;
/** Limit between linear growth (TIMES) and quadratic growth (TIMES squared) on a text TIMES as long. */
const MAX_GROWTH = TIMES * 3;
const TRIES = 3;

const PROMISE = 'its work grows linearly with the length of the text, not quadratically';
const REMEDY =
  'Look for work on the whole text within a loop over it: a slice, an indexOf, or a regular expression that is tried at each place.';

const THROWS =
  'Fix the failures of the other checks first; if there are none, look at what a long text changes.';

export async function checkGrowth(subject: Subject): Promise<CheckResult> {
  const { kind } = subject.entry.manifest;
  if (kind === 'sink') return leftOut('growth', 'it depends on what it stores in');
  try {
    const works = await WORK[kind](subject);
    for (const work of works) {
      const where = await firstGrowth(work, subject);
      if (where !== undefined) return resultOf('growth', [{ promise: PROMISE, where, remedy: REMEDY }]);
    }
    return ok('growth', `${works.length} kinds of texts, of up to ${MAX_LENGTH} characters`);
  } catch (error) {
    if (isLacking(error)) return leftOut('growth', error.message);
    const where = thrownIn(error, subject.folder);
    return resultOf('growth', [{ promise: 'it answers long texts', where, remedy: THROWS }]);
  }
}

/** Doubles the text until the work can be measured, and compares it with the work on a shorter text. */
async function firstGrowth({ what, prepare }: Work, { suite }: Subject): Promise<string | undefined> {
  const costOf = async (length: number) => {
    suite.onCase?.({ text: what, length });
    return cost(await prepare(length));
  };
  let length = FIRST;
  let large = await costOf(length);
  while (large < ENOUGH && length < MAX_LENGTH) {
    length *= 2;
    large = await costOf(length);
  }
  if (large < ENOUGH) return undefined;
  const part = length / TIMES;
  let small = Number.POSITIVE_INFINITY;
  // Compares minimum times, because a busy machine and uncompiled code can only make the work slower.
  for (let tried = 0; tried < TRIES; tried++) {
    for (let run = 0; run < TRIES; run++) small = Math.min(small, await costOf(part));
    if (large / small < MAX_GROWTH) return undefined;
    large = Math.min(large, await costOf(length));
  }
  if (large / small < MAX_GROWTH) return undefined;
  return `${what}: ${part} characters take ${small.toFixed(2)} ms of processor time, ${length} take ${large.toFixed(0)} ms`;
}

/** Milliseconds of processor time used by this thread. */
async function cost(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

interface Work {
  readonly what: string;
  /** Creates an input of about `length` characters, and returns a function that works with this input. */
  prepare(length: number): Promise<() => unknown>;
}

const { signal } = new AbortController();

type Prepare = (text: string) => (() => unknown) | Promise<() => unknown>;

function workOn(label: string, prepare: Prepare): Work[] {
  return Object.entries(SHAPES).map(([shape, make]) => ({
    what: label + shape,
    prepare: async (length) => prepare(make(length)),
  }));
}

type WorkOf = (subject: Subject) => readonly Work[] | Promise<readonly Work[]>;

/** Work on growing inputs, by kind of plugin. Sinks are left out: their work depends on the storage. */
const WORK: Readonly<Record<Exclude<Kind, 'sink'>, WorkOf>> = {
  chunker: ({ entry: { manifest }, harness }) =>
    growthRequests(manifest.options?.properties).flatMap((options) => {
      const chunk = (text: string) => unlessRefused(harness.chunk(manifest.name, { text, ...options }));
      const works = workOn('', (text) => () => chunk(text));
      return works.map((work) => ({ ...work, what: `${work.what} ${JSON.stringify(options)}` }));
    }),
  refinery({ entry: { manifest }, harness }) {
    const refine = (texts: readonly string[]) => {
      const chunks = chunksOf(texts);
      return () => harness.request(manifest, { chunks });
    };
    const prepare = async (length: number) => refine(Array(Math.ceil(length / 4)).fill('Tea.'));
    return [
      { what: 'chunks of four characters', prepare },
      ...workOn('one chunk, ', (text) => refine([text])),
    ];
  },
  reader({ entry: { manifest }, harness }) {
    const { extensions = [], mediaTypes = [] } = manifest.formats ?? {};
    const [extension] = extensions;
    const name = extension === undefined ? undefined : `file${extension}`;
    return workOn('', (text) => {
      const bytes = new TextEncoder().encode(text);
      const file = { bytes, charset: undefined, name, mediaType: mediaTypes[0] };
      // The work on a refused file is measured too.
      return () =>
        harness.read(manifest, file, signal).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
        });
    });
  },
  async tokenizer({ entry, harness }) {
    const provider = await harness.make('tokenizer', entry.manifest.name);
    return (await provider.names()).flatMap((name) =>
      workOn(`${name}, `, async (text) => {
        const tokenizer = await provider.open(name);
        return () => {
          const tokens = tokenizer?.tokenize(text);
          tokens?.ends();
          tokens?.count(0, text.length);
        };
      }),
    );
  },
  async embedding({ entry, harness }) {
    const provider = await harness.make('embedding', entry.manifest.name);
    return (await provider.list()).flatMap(({ name }) =>
      workOn(`${name}, `, async (text) => {
        const model = await provider.open(name, signal);
        return () => model?.embed([text], { purpose: 'document', signal });
      }),
    );
  },
};

function chunksOf(texts: readonly string[]): object[] {
  let end_index = 0;
  return texts.map((text) => {
    const start_index = end_index;
    end_index += text.length;
    return { text, start_index, end_index, token_count: text.length };
  });
}

/** Creates texts of about a given length, of kinds on which other splitters take quadratic time. */
export const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  'one word': (length) => 'x'.repeat(length),
  'words without any other delimiter': (length) => 'abc '.repeat(length / 4),
  'one delimiter': (length) => `${'\n'.repeat(length - 1)}x`,
  'ends of sentences': (length) => '. '.repeat(length / 2),
  'short lines': (length) => 'a\n'.repeat(length / 2),
  'short paragraphs': (length) => 'ab\n\n'.repeat(length / 4),
  'white space': (length) => `${' '.repeat(length - 1)}x`,
  'Chinese without punctuation': (length) => '漢'.repeat(length),
  emoji: (length) => '😀'.repeat(length / 2),
  'headings and fences': (length) => '# a\n```\n'.repeat(length / 8),
};

const REQUESTS = [{}, { chunk_size: 64, chunk_overlap: 63 }, { chunk_size: 3 }];

export function growthRequests(options: object | undefined): Readonly<Record<string, number>>[] {
  return REQUESTS.map((request) =>
    Object.fromEntries(Object.entries(request).filter(([name]) => name in (options ?? {}))),
  );
}
