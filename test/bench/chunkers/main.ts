import { headOf, readTexts, type Text, textOf } from '../data/texts.ts';
import { against, composeOurs } from '../race/ours.ts';
import { answerOf, type Peer } from '../race/peers.ts';
import { race } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';
import { PEERS } from './peers.ts';

/** Bytes of the text for chonkiejs Token, whose time grows with the square of the text. */
const QUADRATIC_HEAD = 200_000;

/** After this many milliseconds a slow peer sits out the rounds that are left. */
const LIMITS = { budget: 8000 };

console.warn = () => {};
printTitle('Chunkers at chunk_size 512, one thread. JSON: bytes of a request in, bytes of the answer out');
const ours = await composeOurs();
for (const [chunker, byTokenizer] of Object.entries(PEERS)) {
  for (const [tokenizer, createPeers] of Object.entries(byTokenizer)) {
    const peers = await createPeers();
    for (const text of readTexts()) await compare(chunker, tokenizer, peers, text);
  }
}

async function compare(chunker: string, tokenizer: string, peers: Peer[], text: Text): Promise<void> {
  const { quadratic = [], fast = [] } = Object.groupBy(peers, ({ name }) =>
    name.startsWith('chonkiejs Token') ? 'quadratic' : 'fast',
  );
  await raceOn(chunker, tokenizer, fast, text);
  if (quadratic.length === 0) return;
  const name = `${text.name}, first ${QUADRATIC_HEAD / 1000} KB (a peer is quadratic)`;
  await raceOn(chunker, tokenizer, quadratic, textOf(name, headOf(text, QUADRATIC_HEAD)));
}

async function raceOn(
  chunker: string,
  tokenizer: string,
  peers: Peer[],
  { name, text, bytes }: Text,
): Promise<void> {
  const body = Buffer.from(JSON.stringify({ text, chunk_size: 512, tokenizer }));
  const title = `${chunker}, ${tokenizer}, ${name}`;
  const withJson = against(
    () => ours.answer({ run: 'chunk', name: chunker }, body),
    peers,
    (peer) => answerOf(peer, body),
  );
  const chunksOnly = against(
    () => ours.chunks(chunker, text, tokenizer),
    peers,
    ({ split }) => split(text),
  );
  printSpeeds(`${title}: JSON`, await race(withJson, LIMITS), bytes);
  printSpeeds(`${title}: chunks only`, await race(chunksOnly, LIMITS), bytes);
}
