import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mainText } from '../data/texts.ts';
import { postBytes } from '../http/post-bytes.ts';
import { type Server, startOurs } from '../http/servers.ts';
import { median, race } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';

const TEXTS = 100;
const BYTES = 20_000;
const ROUNDS = 15;

interface Work {
  readonly title: string;
  readonly chunker: string;
  readonly texts: readonly string[];
  readonly options: object;
}

const prose = textsOf(mainText().text);
const code = textsOf(
  globSync('node_modules/fast-check/lib/fast-check.js', { cwd: join(import.meta.dirname, '../../..') })
    .map((file) => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8'))
    .join('\n'),
);
const WORK: readonly Work[] = [
  { title: 'recursive, character', chunker: 'recursive', texts: prose, options: {} },
  {
    title: 'sentence, cl100k_base',
    chunker: 'sentence',
    texts: prose,
    options: { tokenizer: 'cl100k_base' },
  },
  { title: 'code, character', chunker: 'code', texts: code, options: { language: 'javascript' } },
];

/** A text of many lines, in stretches of the same size. */
function textsOf(text: string): string[] {
  return Array.from({ length: TEXTS }, (_, index) => {
    const from = (index * BYTES) % Math.max(text.length - BYTES, 1);
    return text.slice(from, from + BYTES);
  });
}

printTitle(`A batch of ${TEXTS} texts of ${BYTES / 1000} KB over HTTP: all threads against one`);
const [two, one, other] = await Promise.all(
  [2, 1, 1].map((workers) => startOurs({ WORKERS: String(workers) })),
);
const servers = [two, one, other] as [Server, Server, Server];
try {
  for (const { title, chunker, texts, options } of WORK) await runWork(title, chunker, texts, options);
} finally {
  await Promise.all(servers.map(({ stop }) => stop()));
}

async function runWork(
  title: string,
  chunker: string,
  texts: readonly string[],
  options: object,
): Promise<void> {
  const [first, second, third] = servers;
  const body = (some: readonly string[]) => Buffer.from(JSON.stringify({ ...options, text: some }));
  const whole = body(texts);
  const halves = [body(texts.slice(0, TEXTS / 2)), body(texts.slice(TEXTS / 2))] as const;
  const ask = (server: Server, bytes: Buffer) => postBytes(`${server.url}/v1/chunk/${chunker}`, bytes);
  const results = await race(
    [
      { name: 'one server, two threads', isOurs: true, run: () => ask(first, whole) },
      { name: 'one server, one thread', run: () => ask(second, whole) },
      {
        name: 'half of it to each of two servers',
        run: () => Promise.all([ask(second, halves[0]), ask(third, halves[1])]),
      },
    ],
    { rounds: ROUNDS },
  );
  const times = results.map(({ times }) => median(times));
  const single = times[1] as number;
  printTable(
    `${title}: ${number(whole.length / 1e6)} MB`,
    ['', 'ms', 'of one thread'],
    results.map(({ name }, index) => {
      const time = times[index] as number;
      return [name, number(time), `${number(single / time)}x`];
    }),
  );
}
