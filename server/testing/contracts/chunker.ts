import fc from 'fast-check';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import type { Manifest } from '../../../core/contracts/manifest.ts';
import { isBlank } from '../../../core/engine/cuts/cuts.ts';
import { ServiceError } from '../../../core/errors.ts';
import { anyRequest, defaultsOf, effectiveOptions, hasEffectiveWith } from '../cases/options.ts';
import { anyText } from '../cases/texts.ts';
import type { Harness } from '../harness.ts';
import { COMMON, type PromiseOf, type Promises, type Suite } from '../promises.ts';
import { chunkPlace, expectOnce, firstWrong, holdFor, type Ledger, unlessRefused } from '../report.ts';

const PROMISES = {
  answers: {
    ...COMMON.answers,
    'it accepts at least one text in ten':
      'Chunk texts of other formats too, as well as possible; refuse only what cannot be chunked at all.',
    'text of only white space gives no chunks':
      'Return no spans of only white space; the service does not call the chunker for such texts.',
  },
  offsets: {
    'offsets are code points of the text': 'Return offsets in UTF-16 units, as JavaScript counts them.',
    'chunks begin and end between characters':
      'Do not cut where splitsCodePoint(text, place) is true: that is in the middle of a surrogate pair.',
    'offsets are UTF-16 units if the request asks for them': 'Do not let offset_unit change the spans.',
    'offsets are bytes of UTF-8 if the request asks for them': 'Do not let offset_unit change the spans.',
  },
  order: {
    'no chunk is empty': 'Leave out spans with the same start and end.',
    'chunks are in the order of the text':
      'Return spans with rising starts and rising ends, within the text, none of them empty.',
  },
  'nothing lost': {
    'no text is lost between chunks':
      'Let each span begin where the previous one ends, or earlier, and the last one end at the end of the text; or remove `lossless` from the manifest.',
    'joined, the chunks are the text':
      'Without chunk_overlap, let each span begin where the previous one ends; or remove `lossless` from the manifest.',
  },
  limits: {
    'no chunk is over chunk_size':
      'Cut with context.divide, which keeps chunk_size; pack leaves larger pieces whole. Or remove `bounded` from the manifest.',
  },
  'token counts': {
    "token_count is the count of the chunk's own text":
      'Leave token_count out, so that the service counts, or use context.tokens.count(start, end).',
  },
  determinism: {
    'the same request gives the same answer':
      'Let the answer depend only on the text and the options: not on random numbers, time or earlier requests.',
  },
  'options together': {
    'an option that effectiveWith rules out has no effect':
      'Do not read the option in that case, or fix its effectiveWith in the manifest.',
  },
} as const satisfies Promises;

type ChunkerLedger = Ledger<PromiseOf<typeof PROMISES>>;

/**
 * Checks the promises of all chunkers and those in the manifest, with generated texts and options. A chunker
 * may refuse texts that are not in its format, but must accept at least one in ten.
 */
export const chunkerSuite: Suite = {
  promises: PROMISES,
  leftOut(manifest) {
    const { lossless, bounded } = manifest.guarantees ?? {};
    return {
      ...(lossless !== true && { 'nothing lost': 'its manifest does not guarantee `lossless`' }),
      ...(bounded !== true && { limits: 'its manifest does not guarantee `bounded`' }),
      ...(!hasEffectiveWith(manifest) && { 'options together': 'no option has `effectiveWith`' }),
    };
  },
  async run(harness, plugin, { runs = 500, ...options } = {}) {
    const { manifest } = plugin;
    const cases = fc.record({ text: anyText, options: await anyRequest(harness, manifest) });
    let tried = 0;
    let refused = 0;
    const check = (one: ChunkCase, ledger: ChunkerLedger) => {
      tried++;
      const checked = checkCase(harness, manifest, one, ledger);
      return unlessRefused(checked, () => refused++).catch((error) => noteSpans(error, ledger));
    };
    await holdFor(plugin, cases, check, { runs, ...options });
    await expectOnce(plugin, options.exemptions, async (ledger: ChunkerLedger) =>
      ledger.expect(
        refused <= 0.9 * tried,
        'it accepts at least one text in ten',
        `${refused} of ${tried} were refused`,
      ),
    );
    return `${runs} requests, ${refused} refused`;
  },
};

/** Patterns of the service's errors about spans, and the broken promise that each reports. */
const REFUSED: readonly (readonly [reason: RegExp, promise: Parameters<ChunkerLedger['expect']>[1]])[] = [
  [/is lost$/, 'no text is lost between chunks'],
  [/out of order or outside it$/, 'chunks are in the order of the text'],
  [/cuts a surrogate pair in two$/, 'chunks begin and end between characters'],
];

/** Records the service's error about spans as a broken promise. @throws any other error */
function noteSpans(error: unknown, ledger: ChunkerLedger): void {
  if (!(error instanceof ServiceError && error.code === 'broken_promise')) throw error;
  const reason = String(error.values.reason);
  const [, promise] = REFUSED.find(([pattern]) => pattern.test(reason)) ?? [];
  if (promise === undefined) throw error;
  ledger.unanswered(promise, reason);
}

interface ChunkCase {
  readonly text: string;
  readonly options: Readonly<Record<string, unknown>>;
}

async function checkCase(
  harness: Harness,
  manifest: Manifest,
  { text, options }: ChunkCase,
  ledger: ChunkerLedger,
): Promise<void> {
  const ask = (unit: object = {}) => harness.chunk(manifest.name, { text, ...options, ...unit });
  const chunksIn = async (offset_unit: string) => JSON.parse(await ask({ offset_unit })) as Chunk[];
  const answer = await ask();
  const chunks = JSON.parse(answer) as Chunk[];
  ledger.expectNone(firstChange(answer, await ask()), 'the same request gives the same answer');
  if (hasEffectiveWith(manifest)) {
    const effective = await harness.chunk(manifest.name, { text, ...effectiveOptions(options, manifest) });
    const change = firstChange(answer, effective);
    ledger.expectNone(change, 'an option that effectiveWith rules out has no effect');
  }
  ledger.expect(!isBlank(text) || chunks.length === 0, 'text of only white space gives no chunks');
  if (isBlank(text)) return;
  checkOffsets(text, chunks, await chunksIn('utf16'), await chunksIn('byte'), ledger);
  checkOrder(text, chunks, manifest, { ...defaultsOf(manifest), ...options }, ledger);
  const tokenizer = await harness.tokenizerFor(manifest, options);
  const countOf = ({ text }: Chunk) => tokenizer.tokenize(text).count(0, text.length);
  ledger.expectEach(
    chunks,
    (chunk) => chunk.token_count === countOf(chunk),
    (chunk, at) => `${chunkPlace(chunk, at)} says ${chunk.token_count}, but the count is ${countOf(chunk)}`,
    "token_count is the count of the chunk's own text",
  );
}

function firstChange(one: string, other: string): string | undefined {
  if (one === other) return undefined;
  const [chunks, others] = [one, other].map((answer) => JSON.parse(answer) as Chunk[]);
  const isSame = (chunk: Chunk, at: number) => JSON.stringify(chunk) === JSON.stringify(others?.[at]);
  const change = firstWrong(chunks ?? [], isSame, chunkPlace);
  return change ?? `${chunks?.length} chunks, and then ${others?.length}`;
}

function checkOffsets(
  text: string,
  chunks: readonly Chunk[],
  inUnits: readonly Chunk[],
  inBytes: readonly Chunk[],
  ledger: ChunkerLedger,
): void {
  const points = Array.from(text);
  const isInPoints = (chunk: Chunk) =>
    points.slice(chunk.start_index, chunk.end_index).join('') === chunk.text;
  ledger.expectEach(chunks, isInPoints, chunkPlace, 'offsets are code points of the text');
  const isInUnits = (chunk: Chunk, index: number) =>
    chunk.text === text.slice(chunk.start_index, chunk.end_index) && chunk.text === chunks[index]?.text;
  ledger.expectEach(inUnits, isInUnits, chunkPlace, 'offsets are UTF-16 units if the request asks for them');
  const bytes = Buffer.from(text);
  const isInBytes = (chunk: Chunk) =>
    bytes.subarray(chunk.start_index, chunk.end_index).equals(Buffer.from(chunk.text));
  ledger.expectEach(
    inBytes,
    isInBytes,
    chunkPlace,
    'offsets are bytes of UTF-8 if the request asks for them',
  );
}

/** Checks the promises about order, lost text and size limits. */
function checkOrder(
  text: string,
  chunks: readonly Chunk[],
  { guarantees }: Manifest,
  options: { readonly chunk_size?: number; readonly chunk_overlap?: number },
  ledger: ChunkerLedger,
): void {
  const { chunk_size = Number.POSITIVE_INFINITY, chunk_overlap = 0 } = options;
  ledger.expectEach(chunks, (chunk) => chunk.text !== '', chunkPlace, 'no chunk is empty');
  ledger.expectEach(chunks, risesIn(chunks), chunkPlace, 'chunks are in the order of the text');
  if (guarantees?.lossless === true) {
    ledger.expectNone(firstGap(chunks, Array.from(text).length), 'no text is lost between chunks');
    const joined = chunks.map((chunk) => chunk.text).join('');
    ledger.expect(chunk_overlap > 0 || joined === text, 'joined, the chunks are the text');
  }
  if (guarantees?.bounded === true) {
    const fits = (chunk: Chunk) => chunk.token_count <= chunk_size || Array.from(chunk.text).length === 1;
    const placeAndCount = (chunk: Chunk, at: number) =>
      `${chunkPlace(chunk, at)} has ${chunk.token_count} tokens, chunk_size is ${chunk_size}`;
    ledger.expectEach(chunks, fits, placeAndCount, 'no chunk is over chunk_size');
  }
}

const risesIn = (chunks: readonly Chunk[]) => (chunk: Chunk, index: number) => {
  const before = chunks[index - 1];
  return (
    before === undefined || (chunk.start_index > before.start_index && chunk.end_index > before.end_index)
  );
};

function firstGap(chunks: readonly Chunk[], length: number): string | undefined {
  const endBefore = (index: number) => chunks[index - 1]?.end_index ?? 0;
  const gap = firstWrong(
    chunks,
    (chunk, at) => chunk.start_index <= endBefore(at),
    (chunk, at) => `the text from ${endBefore(at)} to ${chunk.start_index}, before ${chunkPlace(chunk, at)}`,
  );
  const end = chunks.at(-1)?.end_index ?? 0;
  return gap ?? (end === length ? undefined : `the text from ${end} to ${length}, after the last chunk`);
}
