import { setTimeout as wait } from 'node:timers/promises';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../support/plugins.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { type Case, makeCases } from './cases.ts';
import { sendWhile } from './load.ts';
import { check, checkNone, type Mode, type Report } from './mode.ts';
import { createSender, type Outcome } from './sender.ts';
import { startSoakServer } from './server.ts';

const SIZES = [2000, 40_000];
const CONNECTIONS = 4;
const PAUSE_MS = 150;
const WORKERS = ['--workers', '2', '--worker-memory-mb', '256'];

/** The ways in which the plugin of this test ends its worker thread, and what the caller reads then. */
const WAYS = [
  { marker: 'CRASH-BY-EXIT', code: 'process.exit(1);', detail: /^The worker of this request ended/ },
  {
    marker: 'CRASH-BY-HEAP',
    code: 'for (const all = []; ; ) all.push(new Array(1e5).fill(all.length));',
    detail: /more memory than a worker has/,
  },
];

/** Workers that a plugin crashes while others work: only the requests that did it fail. */
export const crash: Mode = {
  title: 'crash: a plugin ends its worker thread again and again under load',
  defaults: { seconds: 0, count: 50 },
  run: (t, { count, seed }) => crashUnderLoad(t, count, seed),
};

export async function crashUnderLoad(t: Cleanup, count: number, seed: number): Promise<Report> {
  const body = WAYS.map(({ marker, code }) => `if (text.includes('${marker}')) { ${code} }`).join(' ');
  const folder = await pluginsFolder(t, chunker('crashing', `${body} ${WHOLE_TEXT}`));
  const own = ['--data-dir', await temporaryFolder(t), '--plugins-dir', folder];
  const server = await startSoakServer(t, [...WORKERS, ...own]);
  const sender = createSender(server.client.port);
  t.teardown(sender.close);
  const cases = [...(await makeCases(server.client, SIZES, seed)), harmlessCase()];

  const wrong: string[] = [];
  let right = 0;
  const note = ({ name }: Case, { isRight, status, error }: Outcome) => {
    if (isRight) right++;
    else wrong.push(`${name} ${error ?? status}`);
  };
  let isOver = false;
  const others = sendWhile(sender, cases, () => !isOver, CONNECTIONS, seed, note);
  let asPromised = 0;
  for (let done = 0; done < count; done++) {
    await wait(PAUSE_MS);
    const { marker, detail } = WAYS[done % WAYS.length] as (typeof WAYS)[number];
    const answer = await server.client.post('/v1/chunk/crashing', { text: `a ${marker}` });
    if (answer.status === 500 && detail.test(answer.json<{ detail: string }>().detail)) asPromised++;
    else wrong.push(`crash: ${answer.status} ${answer.bytes}`);
  }
  isOver = true;
  await others;
  const health = await server.client.get('/health');
  return {
    figures: [['right answers meanwhile', String(right)]],
    checks: [
      check(`crashes that are a 500 with their reason: ${count}`, asPromised, asPromised === count),
      checkNone('other requests that failed', wrong, right > count),
      check('/health afterwards: 200', health.status, health.status === 200),
    ],
  };
}

/** What the plugin answers where it does not crash. */
function harmlessCase(): Case {
  const text = 'no harm in it';
  const { length } = text;
  const chunks = [{ text, start_index: 0, end_index: length, token_count: length }];
  const expected = Buffer.from(JSON.stringify(chunks));
  return {
    name: 'crashing',
    path: '/v1/chunk/crashing',
    body: Buffer.from(JSON.stringify({ text })),
    expected,
  };
}
