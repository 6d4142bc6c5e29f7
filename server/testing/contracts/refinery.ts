import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import type { Manifest } from '../../../core/contracts/manifest.ts';
import { shown } from '../broken-contract.ts';
import { anyRequest, defaultsOf } from '../cases/options.ts';
import { anyText } from '../cases/texts.ts';
import type { Harness } from '../harness.ts';
import { COMMON, type PromiseOf, type Promises, type Suite } from '../promises.ts';
import { chunkPlace, endsOnAbort, firstWrong, holdFor, type Ledger } from '../report.ts';

const KEEPS_FIELDS = 'unknown fields are kept';

const PROMISES = {
  answers: COMMON.answers,
  'given chunks': {
    'the given chunks are not changed':
      'Return new chunks, { ...chunk, … }, and do not change the given ones.',
    'it returns new chunks': 'Return { ...chunk } if nothing is added.',
  },
  fields: { [KEEPS_FIELDS]: 'Begin each new chunk with the fields of the old one: { ...chunk, … }.' },
  count: {
    'it returns as many chunks as it was given':
      'Return one chunk for each, or set `changesCount: true` in the manifest.',
    'chunks stay in their order': 'Return the chunks in their original order.',
  },
  places: {
    'each chunk has offsets in the text':
      'Split with context.part and merge with context.join, which set the offsets.',
    'chunks stay in the order of the text': 'Return the chunks with rising start_index.',
  },
  determinism: {
    'the same chunks are refined in the same way':
      'Let the answer depend only on the chunks and the options.',
  },
  signal: COMMON.signal,
} as const satisfies Promises;

type RefineryLedger = Ledger<PromiseOf<typeof PROMISES>>;

/** Checks a refinery with chunks of generated texts, generated options, and fields that no refinery knows. */
export const refinerySuite: Suite = {
  promises: PROMISES,
  leftOut: ({ changesCount }) =>
    changesCount === true
      ? { count: 'its manifest has `changesCount`' }
      : { places: 'its manifest does not have `changesCount`' },
  async run(harness, plugin, { runs = 300, ...options } = {}) {
    const { manifest } = plugin;
    const cases = fc.record({ chunks: anyChunks, options: await anyRequest(harness, manifest) });
    const check = (one: RefineCase, ledger: RefineryLedger) => checkCase(harness, manifest, one, ledger);
    await holdFor(plugin, cases, check, { runs, ...options });
    return `${runs} lists of chunks`;
  },
};

interface RefineCase {
  readonly chunks: readonly Chunk[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Names of two fields that no refinery knows. Their values are the chunk's index and any JSON. */
const INDEX = 'index of the contract suite';
const UNKNOWN = 'field of the contract suite';

const anyChunks = fc.array(fc.tuple(anyText, fc.nat(600), fc.jsonValue()), { maxLength: 6 }).map((parts) => {
  let end = 0;
  return parts.map(([text, token_count, unknown], index): Chunk => {
    const start = end;
    end += Array.from(text).length;
    return { text, start_index: start, end_index: end, token_count, [INDEX]: index, [UNKNOWN]: unknown };
  });
});

async function checkCase(
  harness: Harness,
  manifest: Manifest,
  { chunks: made, options: given }: RefineCase,
  ledger: RefineryLedger,
): Promise<void> {
  const { signal } = new AbortController();
  const options = { ...defaultsOf(manifest), ...given };
  const before = structuredClone(made);
  const chunks = structuredClone(made);
  const refined = await harness.refine(manifest, chunks, options, signal);
  const isKept = (chunk: Chunk, index: number) => isDeepStrictEqual(chunk, before[index]);
  ledger.expectEach(chunks, isKept, chunkPlace, 'the given chunks are not changed');
  ledger.expectEach(refined, (chunk) => !chunks.includes(chunk), chunkPlace, 'it returns new chunks');
  if (manifest.changesCount === true) checkPlaces(before, refined, ledger);
  else checkOneByOne(before, refined, ledger);
  const again = await harness.refine(manifest, structuredClone(made), options, signal);
  const isSame = (chunk: Chunk, index: number) => isDeepStrictEqual(chunk, again[index]);
  const change = firstWrong(refined, isSame, (chunk, index) => differenceAt(chunk, again[index], index));
  ledger.expect(
    change === undefined && again.length === refined.length,
    'the same chunks are refined in the same way',
    change ?? `${refined.length} chunks, and then ${again.length}`,
  );
  const ends = await endsOnAbort((aborted) => harness.refine(manifest, chunks, options, aborted));
  ledger.expect(chunks.length === 0 || ends, 'it ends when the signal aborts');
}

function differenceAt(chunk: Chunk, other: Chunk | undefined, index: number): string {
  const names = Object.keys(chunk).filter((name) => !isDeepStrictEqual(chunk[name], other?.[name]));
  return `${chunkPlace(chunk, index)}, in ${names.join(', ') || 'its fields'}`;
}

function checkOneByOne(given: readonly Chunk[], refined: readonly Chunk[], ledger: RefineryLedger): void {
  ledger.expect(
    refined.length === given.length,
    'it returns as many chunks as it was given',
    `it got ${given.length} and returned ${refined.length}`,
  );
  const isPlaced = (chunk: Chunk, index: number) => chunk[INDEX] === undefined || chunk[INDEX] === index;
  // Skipped if the number of chunks differs: that is already reported, and chunks have other indices.
  if (refined.length === given.length)
    ledger.expectEach(refined, isPlaced, chunkPlace, 'chunks stay in their order');
  checkFields(refined, (chunk, index) => given[(chunk[INDEX] as number | undefined) ?? index], ledger);
}

/** Checks the places and fields of chunks, for a refinery that may drop, merge and split chunks. */
function checkPlaces(given: readonly Chunk[], refined: readonly Chunk[], ledger: RefineryLedger): void {
  const end = given.at(-1)?.end_index ?? 0;
  const hasPlace = ({ start_index, end_index }: Chunk) => start_index <= end_index && end_index <= end;
  ledger.expectEach(refined, hasPlace, chunkPlace, 'each chunk has offsets in the text');
  const rises = ({ start_index }: Chunk, index: number) =>
    start_index >= (refined[index - 1]?.start_index ?? 0);
  ledger.expectEach(refined, rises, chunkPlace, 'chunks stay in the order of the text');
  checkFields(refined, (chunk) => given[chunk[INDEX] as number], ledger);
}

/** @param origin returns the given chunk from which a refined chunk was made */
function checkFields(
  refined: readonly Chunk[],
  origin: (chunk: Chunk, index: number) => Chunk | undefined,
  ledger: RefineryLedger,
): void {
  const isKept = (chunk: Chunk, index: number) => {
    const before = origin(chunk, index);
    return (
      before !== undefined &&
      chunk[INDEX] === before[INDEX] &&
      isDeepStrictEqual(chunk[UNKNOWN], before[UNKNOWN])
    );
  };
  const place = (chunk: Chunk, index: number) => {
    const lost = chunk[INDEX] === undefined ? INDEX : UNKNOWN;
    return `${chunkPlace(chunk, index)}: "${lost}" is ${shown(chunk[lost], 100)}`;
  };
  ledger.expectEach(refined, isKept, place, KEEPS_FIELDS);
}
