import type { Manifest, Tokenizer } from '../../core/contracts.ts';
import { isBlank } from '../../core/text.ts';
import type { Service } from '../../server/service.ts';

/** One request to a chunker. */
export interface ChunkCase {
  readonly text: string;
  readonly options: Readonly<Record<string, unknown>>;
}

interface AnswerChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

/**
 * Runs one request and says which promises the answer breaks: those that hold for every chunker, and
 * those that the manifest makes. An empty list is a pass.
 */
export async function breachesOf(
  service: Service,
  manifest: Manifest,
  tokenizer: Tokenizer,
  { text, options }: ChunkCase,
): Promise<string[]> {
  const ask = async (unit?: string) => {
    const request = { text, ...options, ...(unit === undefined ? {} : { offset_unit: unit }) };
    const task = { run: 'chunk', name: manifest.name } as const;
    const prepared = service.prepare(task, Buffer.from(JSON.stringify(request)));
    const answer = await prepared.run(new AbortController().signal);
    return Buffer.from(answer.bytes).toString();
  };
  const answer = await ask();
  const chunks = JSON.parse(answer) as AnswerChunk[];
  const { chunk_size = 512, chunk_overlap = 0 } = options as { chunk_size?: number; chunk_overlap?: number };
  const breaches: string[] = [];
  const expect = (holds: boolean, promise: string) => {
    if (!holds) breaches.push(promise);
  };

  expect(answer === (await ask()), 'the same request gives the same answer');
  expect(!isBlank(text) || chunks.length === 0, 'text of white space only gives no chunks');
  if (isBlank(text)) return breaches;

  const points = Array.from(text);
  expect(
    chunks.every((chunk) => points.slice(chunk.start_index, chunk.end_index).join('') === chunk.text),
    'offsets are code points of the text',
  );
  const inUnits = JSON.parse(await ask('utf16')) as AnswerChunk[];
  expect(
    inUnits.every(
      (chunk, index) =>
        chunk.text === text.slice(chunk.start_index, chunk.end_index) && chunk.text === chunks[index]?.text,
    ),
    'offsets are UTF-16 units where that is asked for',
  );
  const bytes = Buffer.from(text);
  const inBytes = JSON.parse(await ask('byte')) as AnswerChunk[];
  expect(
    inBytes.every((chunk) =>
      bytes.subarray(chunk.start_index, chunk.end_index).equals(Buffer.from(chunk.text)),
    ),
    'offsets are bytes of UTF-8 where that is asked for',
  );
  expect(
    chunks.every((chunk) => chunk.text !== ''),
    'no chunk is empty',
  );
  expect(rise(chunks), 'chunks are in the order of the text');
  if (manifest.guarantees?.lossless === true) {
    expect(covers(chunks, points.length), 'no text is lost between chunks');
    if (chunk_overlap === 0)
      expect(chunks.map((chunk) => chunk.text).join('') === text, 'joined, the chunks are the text');
  }
  if (manifest.guarantees?.bounded === true) {
    const fits = (chunk: AnswerChunk) =>
      chunk.token_count <= chunk_size || Array.from(chunk.text).length === 1;
    expect(chunks.every(fits), 'no chunk is over chunk_size');
  }
  if (manifest.name !== 'token') {
    const count = (chunk: AnswerChunk) => tokenizer.tokenize(chunk.text).count(0, chunk.text.length);
    expect(
      chunks.every((chunk) => chunk.token_count === count(chunk)),
      "token_count is the count of the chunk's own text",
    );
  }
  return breaches;
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
