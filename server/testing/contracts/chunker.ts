import fc from 'fast-check';
import type { Manifest } from '../../../core/contracts/manifest.ts';
import { isBlank } from '../../../core/engine/text.ts';
import { ServiceError } from '../../../core/errors.ts';
import { anyRequest, defaultsOf, effectiveOptions, hasEffectiveWith } from '../cases/options.ts';
import { anyText } from '../cases/texts.ts';
import { firstWrong, holdFor, Ledger, unlessRefused } from '../ledger.ts';
import type { Suite } from '../promises.ts';
import type { Workbench } from '../workbench.ts';
import { type AnswerChunk, checkOffsets, checkOrder, placeOf } from './answer-chunks.ts';
import { type ChunkerLedger, PROMISES } from './chunker-promises.ts';

/**
 * Any text and any options: those promises that every chunker makes, and those of its own manifest. It may refuse texts
 * that are not of its format, as long as it takes one in ten.
 */
export const chunkerSuite: Suite = {
  promises: PROMISES,
  leftOut(manifest) {
    const { lossless, bounded } = manifest.guarantees ?? {};
    return {
      ...(lossless !== true && { 'nothing lost': 'its manifest does not guarantee `lossless`' }),
      ...(bounded !== true && { limits: 'its manifest does not guarantee `bounded`' }),
      ...(!hasEffectiveWith(manifest) && { 'options together': 'none of them has `effectiveWith`' }),
    };
  },
  async run(bench, plugin, { runs = 500, ...options } = {}) {
    const { manifest } = plugin;
    const cases = fc.record({ text: anyText, options: await anyRequest(bench, manifest) });
    let [tried, refused] = [0, 0];
    const check = (one: ChunkCase, ledger: ChunkerLedger) => {
      tried++;
      const checked = checkCase(bench, manifest, one, ledger);
      return unlessRefused(checked, () => refused++).catch((error) => noteSpans(error, ledger));
    };
    await holdFor(plugin, cases, check, { runs, ...options });
    const ledger: ChunkerLedger = new Ledger(options.exemptions);
    ledger.expect(
      refused <= 0.9 * tried,
      'it takes one text in ten or more',
      `${refused} of ${tried} were refused`,
    );
    ledger.close();
    return `${runs} requests, ${refused} refused`;
  },
};

/** Spans that the service refuses, and the promises that they break. */
const REFUSED: readonly (readonly [reason: RegExp, promise: Parameters<ChunkerLedger['expect']>[1]])[] = [
  [/is lost$/, 'no text is lost between chunks'],
  [/out of order or outside it$/, 'chunks are in the order of the text'],
  [/cuts a surrogate pair in two$/, 'chunks begin and end between characters'],
];

/** Notes what the service says of spans. @throws the error if it is about something else */
function noteSpans(error: unknown, ledger: ChunkerLedger): void {
  if (!(error instanceof ServiceError && error.code === 'broken_promise')) throw error;
  const reason = String(error.values.reason);
  const [, promise] = REFUSED.find(([pattern]) => pattern.test(reason)) ?? [];
  if (promise === undefined) throw error;
  ledger.unanswered(promise, reason);
}

/** One request to a chunker. */
interface ChunkCase {
  readonly text: string;
  readonly options: Readonly<Record<string, unknown>>;
}

async function checkCase(
  bench: Workbench,
  manifest: Manifest,
  { text, options }: ChunkCase,
  ledger: ChunkerLedger,
): Promise<void> {
  const ask = (unit: object = {}) => bench.chunk(manifest.name, { text, ...options, ...unit });
  const chunksIn = async (offset_unit: string) => JSON.parse(await ask({ offset_unit })) as AnswerChunk[];
  const answer = await ask();
  const chunks = JSON.parse(answer) as AnswerChunk[];
  ledger.expectNone(firstChange(answer, await ask()), 'the same request gives the same answer');
  if (hasEffectiveWith(manifest)) {
    const effective = await bench.chunk(manifest.name, { text, ...effectiveOptions(options, manifest) });
    const change = firstChange(answer, effective);
    ledger.expectNone(change, 'an option that effectiveWith rules out has no effect');
  }
  ledger.expect(!isBlank(text) || chunks.length === 0, 'text of white space only gives no chunks');
  if (isBlank(text)) return;
  checkOffsets(text, chunks, await chunksIn('utf16'), await chunksIn('byte'), ledger);
  checkOrder(text, chunks, manifest, { ...defaultsOf(manifest), ...options }, ledger);
  const tokenizer = await bench.tokenizerFor(manifest, options);
  const countOf = ({ text }: AnswerChunk) => tokenizer.tokenize(text).count(0, text.length);
  ledger.expectNone(
    firstWrong(
      chunks,
      (chunk) => chunk.token_count === countOf(chunk),
      (chunk, at) => `${placeOf(chunk, at)} says ${chunk.token_count}, counted are ${countOf(chunk)}`,
    ),
    "token_count is the count of the chunk's own text",
  );
}

/** Where two answers begin to differ. */
function firstChange(one: string, other: string): string | undefined {
  if (one === other) return undefined;
  const [chunks, others] = [one, other].map((answer) => JSON.parse(answer) as AnswerChunk[]);
  const isSame = (chunk: AnswerChunk, at: number) => JSON.stringify(chunk) === JSON.stringify(others?.[at]);
  const change = firstWrong(chunks ?? [], isSame, placeOf);
  return change ?? `${chunks?.length} chunks, and then ${others?.length}`;
}
