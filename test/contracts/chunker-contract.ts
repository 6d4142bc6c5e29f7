import fc from 'fast-check';
import type { Manifest } from '../../core/contracts/manifest.ts';
import { isBlank } from '../../core/engine/text.ts';
import { anyRequest, defaultsOf, effectiveOptions } from './options.ts';
import { Ledger, type Suite, unlessRefused } from './promises.ts';
import { anyText } from './texts.ts';
import type { Workbench } from './workbench.ts';

/**
 * Any text and any options: those promises that every chunker makes, and those of its own manifest. It may refuse texts
 * that are not of its format, as long as it takes one in ten.
 */
export const checkChunker: Suite = async (bench, { manifest }, { runs = 500, exemptions } = {}) => {
  const cases = fc.record({ text: anyText, options: await anyRequest(bench, manifest) });
  let refused = 0;
  const holds = fc.asyncProperty(cases, async (one) => {
    const ledger = new Ledger(exemptions);
    await unlessRefused(checkCase(bench, manifest, one, ledger), () => refused++);
    ledger.close();
  });
  await fc.assert(holds, { numRuns: runs });
  if (refused > 0.9 * runs) throw new Error(`broken: ${refused} of ${runs} texts are refused`);
  return `${runs} requests, ${refused} refused`;
};

/** One request to a chunker. */
interface ChunkCase {
  readonly text: string;
  readonly options: Readonly<Record<string, unknown>>;
}

interface AnswerChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

async function checkCase(
  bench: Workbench,
  manifest: Manifest,
  { text, options }: ChunkCase,
  ledger: Ledger,
): Promise<void> {
  const ask = (unit: object = {}) => bench.chunk(manifest.name, { text, ...options, ...unit });
  const chunksIn = async (offset_unit: string) => JSON.parse(await ask({ offset_unit })) as AnswerChunk[];
  const answer = await ask();
  const chunks = JSON.parse(answer) as AnswerChunk[];
  ledger.expect(answer === (await ask()), 'the same request gives the same answer');
  const effective = await bench.chunk(manifest.name, { text, ...effectiveOptions(options, manifest) });
  ledger.expect(answer === effective, 'an option that effectiveWith rules out has no effect');
  ledger.expect(!isBlank(text) || chunks.length === 0, 'text of white space only gives no chunks');
  if (isBlank(text)) return;
  checkOffsets(text, chunks, await chunksIn('utf16'), await chunksIn('byte'), ledger);
  checkOrder(text, chunks, manifest, { ...defaultsOf(manifest), ...options }, ledger);
  const tokenizer = await bench.tokenizerFor(manifest, options);
  ledger.expect(
    chunks.every(({ text, token_count }) => token_count === tokenizer.tokenize(text).count(0, text.length)),
    "token_count is the count of the chunk's own text",
  );
}

function checkOffsets(
  text: string,
  chunks: readonly AnswerChunk[],
  inUnits: readonly AnswerChunk[],
  inBytes: readonly AnswerChunk[],
  ledger: Ledger,
): void {
  const points = Array.from(text);
  ledger.expect(
    chunks.every((chunk) => points.slice(chunk.start_index, chunk.end_index).join('') === chunk.text),
    'offsets are code points of the text',
  );
  ledger.expect(
    inUnits.every(
      (chunk, index) =>
        chunk.text === text.slice(chunk.start_index, chunk.end_index) && chunk.text === chunks[index]?.text,
    ),
    'offsets are UTF-16 units if the request asks for them',
  );
  const bytes = Buffer.from(text);
  ledger.expect(
    inBytes.every((chunk) =>
      bytes.subarray(chunk.start_index, chunk.end_index).equals(Buffer.from(chunk.text)),
    ),
    'offsets are bytes of UTF-8 if the request asks for them',
  );
}

function checkOrder(
  text: string,
  chunks: readonly AnswerChunk[],
  { guarantees }: Manifest,
  options: { readonly chunk_size?: number; readonly chunk_overlap?: number },
  ledger: Ledger,
): void {
  const { chunk_size = Number.POSITIVE_INFINITY, chunk_overlap = 0 } = options;
  const length = Array.from(text).length;
  ledger.expect(
    chunks.every((chunk) => chunk.text !== ''),
    'no chunk is empty',
  );
  ledger.expect(rise(chunks), 'chunks are in the order of the text');
  if (guarantees?.lossless === true) {
    ledger.expect(covers(chunks, length), 'no text is lost between chunks');
    const joined = chunks.map((chunk) => chunk.text).join('');
    ledger.expect(chunk_overlap > 0 || joined === text, 'joined, the chunks are the text');
  }
  if (guarantees?.bounded === true) {
    const fits = (chunk: AnswerChunk) =>
      chunk.token_count <= chunk_size || Array.from(chunk.text).length === 1;
    ledger.expect(chunks.every(fits), 'no chunk is over chunk_size');
  }
}

function rise(chunks: readonly AnswerChunk[]): boolean {
  return chunks.every((chunk, index) => {
    const before = chunks[index - 1];
    return (
      before === undefined || (chunk.start_index > before.start_index && chunk.end_index > before.end_index)
    );
  });
}

function covers(chunks: readonly AnswerChunk[], length: number): boolean {
  const isJoined = chunks.every((chunk, index) => chunk.start_index <= (chunks[index - 1]?.end_index ?? 0));
  return isJoined && chunks.at(-1)?.end_index === length;
}
