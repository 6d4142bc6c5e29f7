import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { between, createRandom } from '../../support/random.ts';
import { mainText } from '../data/texts.ts';
import { scaled } from '../flags.ts';
import { composeOurs } from '../race/ours.ts';
import { type Candidate, type RaceLimits, race } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';
import { withCleanup } from '../race/temporary.ts';
import { writeEncoder } from './encoder.ts';
import { type Embedder, hasPython, OWN_MODELS, openTransformers, startPython } from './peers.ts';

const STATIC = 'chunksmith/retrieval-en-512';
/** Whose vocabulary the encoder takes. */
const VOCABULARY = 'chunksmith/static-en-256';
const ENCODER = 'bench/encoder';
const BATCH = 64;
const ENCODINGS = ['base64', 'float'];
/** Characters of a chunk. */
const CHUNK = 680;

printTitle(
  'Embeddings, one thread: bytes of a request of /v1/embed in, bytes of the answer out; peers give arrays',
);
await withCleanup(async (_, folder) => {
  writeEncoder(join(folder, ENCODER), join(OWN_MODELS, VOCABULARY, 'tokenizer.json'));
  const ours = await composeOurs({ modelsDir: folder });
  const bodyOf = (embedding_model: string, texts: readonly string[], encoding: string) =>
    Buffer.from(JSON.stringify({ text: texts, embedding_model, encoding }));
  const embed = (body: Buffer) => ours.answer({ run: 'embed' }, body);

  /** Each encoding of ours against a peer by turns, after a look at whether they give the same vectors. */
  async function compare(
    model: string,
    texts: string[],
    peer: Embedder | undefined,
    encodings = ENCODINGS,
    limits: RaceLimits = {},
  ) {
    if (peer !== undefined) await checkVectors(await embed(bodyOf(model, texts, 'base64')), peer);
    for (const encoding of encodings) {
      const body = bodyOf(model, texts, encoding);
      const title = `${model}, ${texts.length} chunks of about ${CHUNK} characters, ${encoding}`;
      const own = { name: 'chunksmith', isOurs: true, run: () => embed(body) };
      const others = peer === undefined ? [] : [candidateOf(peer)];
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      printSpeeds(title, await race([own, ...others], limits), bytes);
    }
  }

  const chunks = chunksOf(scaled(1000, 300), CHUNK, CHUNK);
  const file = join(folder, 'texts.json');
  writeFileSync(file, JSON.stringify(chunks));
  const python = hasPython() ? await startPython(STATIC, file) : undefined;
  await compare(STATIC, chunks, python);
  python?.close?.();
  const mixed = chunksOf(BATCH, 200, 2 * CHUNK - 200);
  const transformers = await openTransformers(folder, ENCODER, mixed);
  await compare(ENCODER, mixed, transformers, ['base64'], { rounds: 3, warmUps: 1, budget: 60_000 });
});

function candidateOf({ name, sample, vectors }: Embedder): Candidate {
  return sample === undefined ? { name, run: vectors } : { name, sample };
}

/** Chunks of the main text, of lengths between two. */
function chunksOf(count: number, least: number, most: number): string[] {
  const { text } = mainText();
  const random = createRandom(5);
  let at = 0;
  return Array.from({ length: count }, () => {
    const length = between(random, least, most);
    if (at + length > text.length) at = 0;
    at += length;
    return text.slice(at - length, at).toWellFormed();
  });
}

/** Prints how far apart the numbers of two answers are at most. @param answer with vectors in base64 */
async function checkVectors(answer: Uint8Array, peer: Embedder): Promise<void> {
  const { embeddings } = JSON.parse(Buffer.from(answer).toString()) as { embeddings: readonly string[] };
  const bytes = Buffer.concat(embeddings.map((one) => Buffer.from(one, 'base64')));
  const ours = new Float32Array(Uint8Array.from(bytes).buffer);
  const theirs = await peer.vectors();
  const furthest = ours.reduce((most, one, at) => Math.max(most, Math.abs(one - (theirs[at] as number))), 0);
  console.log(`  ${ours.length} numbers, at most ${furthest.toExponential(1)} from those of ${peer.name}\n`);
}
