import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Chunk } from '../../core/contracts/chunk.ts';
import type { Manifest } from '../../core/contracts/manifest.ts';
import { anyRequest, defaultsOf } from './options.ts';
import { Ledger, type Suite } from './promises.ts';
import { anyText } from './texts.ts';
import type { Workbench } from './workbench.ts';

/** Chunks of any text with fields that no refinery knows, and any options. */
export const checkRefinery: Suite = async (bench, { manifest }, { runs = 300, exemptions } = {}) => {
  const cases = fc.record({ chunks: anyChunks, options: await anyRequest(bench, manifest) });
  const holds = fc.asyncProperty(cases, async ({ chunks, options }) => {
    const ledger = new Ledger(exemptions);
    await checkCase(bench, manifest, chunks, { ...defaultsOf(manifest), ...options }, ledger);
    ledger.close();
  });
  await fc.assert(holds, { numRuns: runs });
  return `${runs} lists of chunks`;
};

/** Fields that no refinery knows: the place among the chunks, and any JSON. */
const PLACE = 'place of the contract suite';
const UNKNOWN = 'field of the contract suite';

const anyChunks = fc.array(fc.tuple(anyText, fc.nat(600), fc.jsonValue()), { maxLength: 6 }).map((parts) => {
  let end = 0;
  return parts.map(([text, token_count, unknown], place): Chunk => {
    const start = end;
    end += Array.from(text).length;
    return { text, start_index: start, end_index: end, token_count, [PLACE]: place, [UNKNOWN]: unknown };
  });
});

async function checkCase(
  bench: Workbench,
  manifest: Manifest,
  made: readonly Chunk[],
  options: Readonly<Record<string, unknown>>,
  ledger: Ledger,
): Promise<void> {
  const { signal } = new AbortController();
  const before = structuredClone(made);
  const chunks = structuredClone(made);
  const refined = await bench.refine(manifest, chunks, options, signal);
  ledger.expect(isDeepStrictEqual(chunks, before), 'the chunks that it is given stay as they are');
  ledger.expect(
    refined.every((chunk) => !chunks.includes(chunk)),
    'it returns new chunks',
  );
  if (manifest.changesCount === true) checkPlaces(before, refined, ledger);
  else checkOneByOne(before, refined, ledger);
  ledger.expect(
    isDeepStrictEqual(await bench.refine(manifest, chunks, options, signal), refined),
    'the same chunks are refined in the same way',
  );
  const isHeard = chunks.length === 0 || (await hearsAbort(bench, manifest, chunks, options));
  ledger.expect(isHeard, 'it ends when nobody waits for the answer any more');
}

function checkOneByOne(given: readonly Chunk[], refined: readonly Chunk[], ledger: Ledger): void {
  ledger.expect(refined.length === given.length, 'it returns as many chunks as it is given');
  ledger.expect(
    refined.every((chunk, index) => chunk[PLACE] === index),
    'chunks stay in their order',
  );
  ledger.expect(
    refined.every((chunk, index) => isDeepStrictEqual(chunk[UNKNOWN], given[index]?.[UNKNOWN])),
    KEEPS_FIELDS,
  );
}

const KEEPS_FIELDS = 'a field that it does not know is kept';

/** What holds if chunks are dropped, merged and split. */
function checkPlaces(given: readonly Chunk[], refined: readonly Chunk[], ledger: Ledger): void {
  const end = given.at(-1)?.end_index ?? 0;
  ledger.expect(
    refined.every((chunk) => chunk.start_index <= chunk.end_index && chunk.end_index <= end),
    'each chunk has a place in the text',
  );
  ledger.expect(
    refined.every(({ start_index }, index) => start_index >= (refined[index - 1]?.start_index ?? 0)),
    'chunks stay in the order of the text',
  );
  const kept = refined.flatMap((chunk) => given[chunk[PLACE] as number] ?? []);
  ledger.expect(kept.length === refined.length, KEEPS_FIELDS);
  ledger.expect(
    refined.every((chunk, index) => isDeepStrictEqual(chunk[UNKNOWN], kept[index]?.[UNKNOWN])),
    KEEPS_FIELDS,
  );
}

/** Whether a refinery gives up that is called when its request is over. */
async function hearsAbort(
  bench: Workbench,
  manifest: Manifest,
  chunks: readonly Chunk[],
  options: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const reason = new Error('nobody waits');
  try {
    await bench.refine(manifest, chunks, options, AbortSignal.abort(reason));
  } catch (error) {
    return error === reason;
  }
  return false;
}
