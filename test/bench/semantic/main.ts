import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import { headOf, mainText, readTexts, type Text } from '../data/texts.ts';
import { type Candidate, median, race } from '../race/race.ts';
import { number, printSpeeds, printTable, printTitle } from '../race/report.ts';
import { composeOurs, type Ours, signal } from './ours.ts';
import { createPeers, type Peer } from './peers.ts';

const CHUNKER_MODEL = 'vendor/potion-base-8M';
const REFINERY_MODEL = 'vendor/potion-retrieval-32M';
const CHUNKS = 10_000;
const CHUNK_BYTES = 500;
const LIMITS = { rounds: 5, budget: 20_000 };

const encoder = new TextEncoder();
const ours = await composeOurs();
printTitle(
  `Semantic chunking, one thread, ${CHUNKER_MODEL}. JSON: bytes of a request in, bytes of the answer out`,
);
const samples = readTexts().map(({ text }) => text.slice(0, 2000));
const peers = await createPeers(await ours.open(CHUNKER_MODEL), samples);
for (const text of readTexts()) await raceChunkers(ours, peers, text);
printTitle(`Embeddings of ${CHUNKS} chunks, one thread, ${REFINERY_MODEL}`);
await raceRefinery(ours, await ours.open(REFINERY_MODEL), mainText());

async function raceChunkers(ours: Ours, peers: readonly Peer[], { name, text, bytes }: Text): Promise<void> {
  const bodyWith = (options: object) => encoder.encode(JSON.stringify({ text, chunk_size: 512, ...options }));
  const body = bodyWith({});
  const clusters = bodyWith({ mode: 'cluster' });
  const candidates: Candidate[] = [
    { name: 'chunksmith', isOurs: true, run: () => ours.answer('chunk', 'semantic', body) },
    ...peers.map(({ name, split }) => ({
      name,
      run: async () => {
        const request = JSON.parse(Buffer.from(body).toString()) as { text: string };
        return Buffer.from(JSON.stringify(await split(request.text)));
      },
    })),
  ];
  printSpeeds(`semantic, ${name}: JSON`, await race(candidates, LIMITS), bytes);
  const cluster = { name: 'chunksmith, mode cluster', run: () => ours.answer('chunk', 'semantic', clusters) };
  printSpeeds(`semantic, ${name}: JSON, mode cluster`, await race([cluster], LIMITS), bytes);
  const chunks = JSON.parse(Buffer.from(await ours.answer('chunk', 'semantic', body)).toString());
  const counts = await Promise.all(
    peers.map(async ({ name, split }) => `${(await split(text)).length} ${name}`),
  );
  console.log(`  chunks: ${[`${chunks.length} chunksmith`, ...counts].join(', ')}\n`);
}

async function raceRefinery(ours: Ours, model: EmbeddingModel, text: Text): Promise<void> {
  const source = headOf(text, CHUNKS * CHUNK_BYTES);
  const chunks = Array.from({ length: CHUNKS }, (_, index) => ({
    text: source.slice((index * source.length) / CHUNKS, ((index + 1) * source.length) / CHUNKS),
    start_index: 0,
    end_index: 0,
    token_count: 0,
  }));
  const texts = chunks.map(({ text }) => text);
  const body = encoder.encode(JSON.stringify({ chunks }));
  const tokenizer = await model.tokenizer();
  const tokens = texts.reduce((sum, text) => sum + tokenizer.tokenize(text).count(0, text.length), 0);
  const [whole, alone] = (
    await race(
      [
        { name: 'refinery', isOurs: true, run: () => ours.answer('refine', 'embeddings', body) },
        { name: 'model', run: () => model.embed(texts, { purpose: 'document', signal }) },
      ],
      LIMITS,
    )
  ).map(({ times }) => median(times)) as [number, number];
  const answer = await ours.answer('refine', 'embeddings', body);
  const row = (name: string, ms: number) => [
    name,
    number(ms),
    number(tokens / ms / 1e3),
    number(CHUNKS / ms),
  ];
  printTable(
    `${tokens} tokens; ${number(body.length / 1e6)} MB in, ${number(answer.length / 1e6)} MB out`,
    ['', 'ms', 'M tokens/s', 'k chunks/s'],
    [row('bytes in, bytes out', whole), row('the model alone', alone)],
  );
  console.log(`  JSON and checks: ${number((100 * (whole - alone)) / whole)} % of the time\n`);
}
