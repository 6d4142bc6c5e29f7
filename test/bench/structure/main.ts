import { join } from 'node:path';
import { readPages } from '../../eval/structure/corpus.ts';
import { headOf, mainText } from '../data/texts.ts';
import { type Server, startOurs } from '../http/servers.ts';
import { median, race } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';
import { dataTexts } from './data.ts';
import { markdownPeers } from './peers.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BYTES = 1_000_000;
const SETTINGS = [
  { tokenizer: 'character', chunk_size: 512 },
  { tokenizer: 'cl100k_base', chunk_size: 256 },
];
const LIMITS = { budget: 10_000 };

/** Chunkers of structured texts over HTTP, with JSON; peers are called without either, which is to their advantage. */
printTitle('Structure: 1 MB over HTTP, JSON in and out; peers are called directly');
console.warn = () => {};
const server = await startOurs();
try {
  for (const [name, text] of Object.entries(markdownTexts())) {
    for (const setting of SETTINGS) await raceMarkdown(server, name, text, setting);
  }
  await raceFormats(server);
} finally {
  await server.stop();
}

function markdownTexts(): Record<string, string> {
  const pages = readPages(join(ROOT, 'node_modules')).map(({ text }) => text);
  const readmes = Buffer.from(pages.join('\n\n')).subarray(0, BYTES).toString();
  return { 'prose (en)': headOf(mainText(), BYTES), READMEs: readmes };
}

type Setting = (typeof SETTINGS)[number];

async function raceMarkdown({ url }: Server, name: string, text: string, setting: Setting): Promise<void> {
  const peers = await markdownPeers(setting.tokenizer, setting.chunk_size);
  const ours = (chunker: string, options: object = {}) => ({
    name: [chunker, ...Object.values(options)].join(', '),
    run: poster(`${url}/v1/chunk/${chunker}`, { text, ...setting, ...options }),
  });
  const results = await race(
    [
      { ...ours('markdown'), isOurs: true },
      ours('recursive'),
      ours('recursive', { recipe: 'markdown' }),
      ...peers.map((peer) => ({ name: peer.name, run: () => peer.split(text) })),
    ],
    LIMITS,
  );
  const base = median(results[0]?.times ?? []);
  const rows = results.map((one) => {
    const ms = median(one.times);
    return [one.name, number(Buffer.byteLength(text) / 1e3 / ms), `${number(ms / base)}x`];
  });
  printTable(`${name}, chunk_size ${setting.chunk_size}, ${setting.tokenizer}`, ['', 'MB/s', 'time'], rows);
  console.log('');
}

/** The other formats, with characters, each beside `token` on the same text. */
async function raceFormats({ url }: Server): Promise<void> {
  const loaded = (await (await fetch(`${url}/v1/plugins`)).json()) as readonly {
    name: string;
    kind: string;
  }[];
  const rows: string[][] = [];
  for (const [chunker, text] of Object.entries(dataTexts(BYTES))) {
    if (!loaded.some(({ kind, name }) => kind === 'chunker' && name === chunker)) continue;
    const body = { text, chunk_size: 512 };
    const results = await race(
      [chunker, 'token'].map((name) => ({ name, run: poster(`${url}/v1/chunk/${name}`, body) })),
      LIMITS,
    );
    const [own = Number.NaN, token = Number.NaN] = results.map(({ times }) => median(times));
    const speed = (ms: number) => number(Buffer.byteLength(text) / 1e3 / ms);
    rows.push([chunker, speed(own), speed(token), `${number(token / own)}x`]);
  }
  printTable('Other formats, character', ['', 'MB/s', 'token MB/s', 'ratio'], rows);
}

function poster(url: string, body: object): () => Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  return async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bytes,
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  };
}
