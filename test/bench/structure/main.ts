import { join } from 'node:path';
import { readPages } from '../../eval/structure/corpus.ts';
import type { SoakServer } from '../../soak/server.ts';
import { processorSeconds } from '../corpus/processes.ts';
import { headOf, mainText, textOf } from '../data/texts.ts';
import { scaled } from '../flags.ts';
import { postBytes, withOurs } from '../http/servers.ts';
import { composeOurs } from '../race/ours.ts';
import { answerOf } from '../race/peers.ts';
import { processorMs, type RaceLimits, race, wallMs } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';
import { printCuts } from './cuts.ts';
import { dataTexts } from './data.ts';
import { markdownPeers } from './peers.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BYTES = scaled(1e6, 0.3e6);
const SETTINGS = [
  { tokenizer: 'character', chunk_size: 512 },
  { tokenizer: 'cl100k_base', chunk_size: 256 },
];
const BUDGET = 10_000;
/** The code for Markdown is compiled within a second or two. */
const WARM_UPS = 15;

/** Chunkers of structured texts over HTTP, with JSON; peers are called without either, which is to their advantage. */
printTitle('Structure: a text over HTTP, JSON in and out, by processor time; peers are called directly');
console.warn = () => {};
const pages = readPages(join(ROOT, 'node_modules'));
await printCuts(pages);
const readmes = textOf('', pages.map(({ text }) => text).join('\n\n'));
for (const setting of SETTINGS) await raceInOneThread(headOf(readmes, BYTES), setting);
await withOurs(async (server) => {
  for (const setting of SETTINGS) {
    await raceMarkdown(server, 'prose (en)', headOf(mainText(), BYTES), setting);
    await raceMarkdown(server, 'READMEs', headOf(readmes, BYTES), setting);
  }
  await raceFormats(server);
});

/** The same in one thread, from the bytes of a request to those of an answer, peers too. */
async function raceInOneThread(text: string, setting: (typeof SETTINGS)[number]): Promise<void> {
  const { tokenizer, chunk_size } = setting;
  const { answer } = await composeOurs();
  const body = Buffer.from(JSON.stringify({ text, ...setting }));
  const own = (name: string) => ({
    name: `chunksmith ${name}`,
    isOurs: name === 'markdown',
    run: () => answer({ run: 'chunk', name }, body),
  });
  const peers = await markdownPeers(tokenizer, chunk_size);
  const others = peers.map((peer) => ({ name: peer.name, run: () => answerOf(peer, body) }));
  const results = await race([own('markdown'), own('recursive'), ...others], {
    budget: BUDGET,
    warmUps: WARM_UPS,
  });
  const title = `one thread: READMEs, chunk_size ${chunk_size}, ${tokenizer}`;
  printSpeeds(title, results, Buffer.byteLength(text));
}

async function raceMarkdown(
  server: SoakServer,
  name: string,
  text: string,
  setting: (typeof SETTINGS)[number],
): Promise<void> {
  const { tokenizer, chunk_size } = setting;
  const peers = await markdownPeers(tokenizer, chunk_size);
  const ours = (chunker: string, options: object = {}) => ({
    name: [`chunksmith ${chunker}`, ...Object.values(options)].join(', '),
    run: poster(server, chunker, { text, ...setting, ...options }),
  });
  const results = await race(
    [
      { ...ours('markdown'), isOurs: true },
      ours('recursive'),
      ours('recursive', { recipe: 'markdown' }),
      ...peers.map((peer) => ({ name: peer.name, run: () => peer.split(text) })),
    ],
    limitsOf(server),
  );
  printSpeeds(`${name}, chunk_size ${chunk_size}, ${tokenizer}`, results, Buffer.byteLength(text));
}

/** The other formats, with characters, each beside `token` on the same text. */
async function raceFormats(server: SoakServer): Promise<void> {
  const loaded = (await server.client.get('/v1/plugins')).json<{ name: string; kind: string }[]>();
  for (const [chunker, text] of Object.entries(dataTexts(BYTES))) {
    if (!loaded.some(({ kind, name }) => kind === 'chunker' && name === chunker)) continue;
    const candidates = [chunker, 'token'].map((name) => {
      const body = { text, chunk_size: 512, ...(name === 'code' && { language: 'javascript' }) };
      return { name: `chunksmith ${name}`, isOurs: name === chunker, run: poster(server, name, body) };
    });
    printSpeeds(`${chunker}, character`, await race(candidates, limitsOf(server)), Buffer.byteLength(text));
  }
}

/** Processor time of the server and of this process, or what the clock says where a system does not tell. */
function limitsOf({ pid }: SoakServer): RaceLimits {
  const isTold = !Number.isNaN(processorSeconds(pid));
  return { budget: BUDGET, clock: isTold ? () => processorMs() + 1000 * processorSeconds(pid) : wallMs };
}

function poster({ client }: SoakServer, chunker: string, body: object): () => Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  return () => postBytes(`${client.url}/v1/chunk/${chunker}`, bytes);
}
