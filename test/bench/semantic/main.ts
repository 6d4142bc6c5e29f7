import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import { chunksOf, headOf, mainText, readTexts, type Text } from '../data/texts.ts';
import { against, composeOurs, signal } from '../race/ours.ts';
import { answerOf, type Peer } from '../race/peers.ts';
import { medians, race } from '../race/race.ts';
import { number, printSpeeds, printTable, printTitle } from '../race/report.ts';
import { createPeers } from './peers.ts';

const CHUNKER_MODEL = 'vendor/potion-base-8M';
const REFINERY_MODEL = 'vendor/potion-retrieval-32M';
const CHUNKS = 10_000;
const CHUNK_BYTES = 500;
const LIMITS = { rounds: 5, budget: 20_000 };

const ours = await composeOurs();
printTitle(
  `Semantic chunking, one thread, ${CHUNKER_MODEL}. JSON: bytes of a request in, bytes of the answer out`,
);
const open = async (name: string) => (await ours.openers.model(name, signal)).value;
const peers = await createPeers(await open(CHUNKER_MODEL));
for (const text of readTexts()) await raceChunkers(peers, text);
printTitle(`Embeddings of ${CHUNKS} chunks, one thread, ${REFINERY_MODEL}`);
await raceRefinery(await open(REFINERY_MODEL), headOf(mainText(), CHUNKS * CHUNK_BYTES));

async function raceChunkers(peers: readonly Peer[], { name, text, bytes }: Text): Promise<void> {
  const bodyWith = (options: object) => Buffer.from(JSON.stringify({ text, chunk_size: 512, ...options }));
  const body = bodyWith({});
  const clusters = bodyWith({ mode: 'cluster' });
  const answer = (body: Buffer) => ours.answer('chunk', 'semantic', body);
  const candidates = [
    ...against(
      () => answer(body),
      peers,
      (peer) => answerOf(peer, body),
    ),
    { name: 'chunksmith, mode cluster', run: () => answer(clusters) },
  ];
  printSpeeds(`semantic, ${name}: JSON`, await race(candidates, LIMITS), bytes);
  const chunks = JSON.parse(Buffer.from(await answer(body)).toString());
  const counts = await Promise.all(
    peers.map(async ({ name, split }) => `${(await split(text)).length} ${name}`),
  );
  console.log(`  chunks: ${[`${chunks.length} chunksmith`, ...counts].join(', ')}\n`);
}

async function raceRefinery(model: EmbeddingModel, source: string): Promise<void> {
  const chunks = chunksOf(source, CHUNKS);
  const texts = chunks.map(({ text }) => text);
  const body = Buffer.from(JSON.stringify({ chunks }));
  const tokenizer = await model.tokenizer();
  const tokens = texts.reduce((sum, text) => sum + tokenizer.tokenize(text).count(0, text.length), 0);
  const answer = () => ours.answer('refine', 'embeddings', body);
  const results = await race(
    [
      { name: 'bytes in, bytes out', run: answer },
      { name: 'the model alone', run: () => model.embed(texts, { purpose: 'document', signal }) },
    ],
    LIMITS,
  );
  const [whole, alone] = medians(results) as [number, number];
  const row = (name: string, ms: number) => [name, ...[ms, tokens / ms / 1e3, CHUNKS / ms].map(number)];
  printTable(
    `${tokens} tokens; ${number(body.length / 1e6)} MB in, ${number((await answer()).length / 1e6)} MB out`,
    ['', 'ms', 'M tokens/s', 'k chunks/s'],
    [row('bytes in, bytes out', whole), row('the model alone', alone)],
  );
  console.log(`  JSON and checks: ${number((100 * (whole - alone)) / whole)} % of the time\n`);
}
