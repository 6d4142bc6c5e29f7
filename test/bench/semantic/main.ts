import { readTexts, type Text } from '../data/texts.ts';
import { against, composeOurs, signal } from '../race/ours.ts';
import { answerOf, type Peer } from '../race/peers.ts';
import { race } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';
import { createPeers } from './peers.ts';

const MODEL = 'chunksmith/static-en-256';
const LIMITS = { rounds: 5, budget: 20_000 };

const ours = await composeOurs();
printTitle(`Semantic chunking, one thread, ${MODEL}. JSON: bytes of a request in, bytes of the answer out`);
const peers = await createPeers((await ours.openers.model(MODEL, signal)).value);
for (const text of readTexts()) await raceChunkers(peers, text);

async function raceChunkers(peers: readonly Peer[], { name, text, bytes }: Text): Promise<void> {
  const bodyWith = (options: object) => Buffer.from(JSON.stringify({ text, chunk_size: 512, ...options }));
  const body = bodyWith({});
  const clusters = bodyWith({ mode: 'cluster' });
  const answer = (body: Buffer) => ours.answer({ run: 'chunk', name: 'semantic' }, body);
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
