import { headOf, readTexts, type Text, textOf } from '../data/texts.ts';
import { type Candidate, race } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';
import { describeAnswer } from './checks.ts';
import { composeOurs, type Ours } from './ours.ts';
import { PEERS, type Peer } from './peers.ts';

/** Bytes of the text for chonkiejs Token, whose time grows with the square of the text. */
const QUADRATIC_HEAD = 200_000;

/** After this many milliseconds a slow peer sits out the rounds that are left. */
const LIMITS = { budget: 8000 };

const encoder = new TextEncoder();
console.warn = () => {};
printTitle('Chunkers at chunk_size 512, one thread. JSON: bytes of a request in, bytes of the answer out');
const ours = await composeOurs();
for (const [chunker, byTokenizer] of Object.entries(PEERS)) {
  for (const [tokenizer, createPeers] of Object.entries(byTokenizer)) {
    const peers = await createPeers();
    for (const text of readTexts()) await compare(ours, chunker, tokenizer, peers, text);
  }
}

async function compare(
  ours: Ours,
  chunker: string,
  tokenizer: string,
  peers: Peer[],
  text: Text,
): Promise<void> {
  const fast = peers.filter(({ name }) => !isQuadratic(name));
  await raceOn(ours, chunker, tokenizer, fast, text);
  const quadratic = peers.filter(({ name }) => isQuadratic(name));
  if (quadratic.length === 0) return;
  const head = textOf(
    `${text.name}, first ${QUADRATIC_HEAD / 1000} KB (a peer is quadratic)`,
    headOf(text, QUADRATIC_HEAD),
  );
  await raceOn(ours, chunker, tokenizer, quadratic, head);
}

function isQuadratic(peer: string): boolean {
  return peer.startsWith('chonkiejs Token');
}

async function raceOn(
  ours: Ours,
  chunker: string,
  tokenizer: string,
  peers: Peer[],
  { name, text, bytes }: Text,
): Promise<void> {
  const body = encoder.encode(JSON.stringify({ text, chunk_size: 512, tokenizer }));
  const title = `${chunker}, ${tokenizer}, ${name}`;
  const withJson: Candidate[] = [
    { name: 'chunksmith', isOurs: true, run: () => ours.answer(chunker, body) },
    ...peers.map((peer) => ({ name: peer.name, run: () => answerOf(peer, body) })),
  ];
  const chunksOnly: Candidate[] = [
    { name: 'chunksmith', isOurs: true, run: () => ours.chunks(chunker, text, tokenizer) },
    ...peers.map((peer) => ({ name: peer.name, run: () => peer.split(text) })),
  ];
  printSpeeds(`${title}: JSON`, await race(withJson, LIMITS), bytes);
  printSpeeds(`${title}: chunks only`, await race(chunksOnly, LIMITS), bytes);
  console.log(`  ours: ${describeAnswer(await ours.answer(chunker, body), text, tokenizer)}\n`);
}

async function answerOf(peer: Peer, body: Uint8Array): Promise<Uint8Array> {
  const request = JSON.parse(Buffer.from(body).toString()) as { text: string };
  return Buffer.from(JSON.stringify(await peer.split(request.text)));
}
