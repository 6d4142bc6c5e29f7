import { once } from 'node:events';
import t, { type Test } from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import createSummary from '../../../../plugins/refineries/summary/index.ts';
import manifest, { type SummaryOptions } from '../../../../plugins/refineries/summary/manifest.ts';
import type { HostedTools } from '../../../../server/plugins/hosted/call.ts';
import { defaultsOf } from '../../../../server/testing/cases/options.ts';
import { collaborators, quietLog } from '../../../../server/testing/collaborators.ts';
import { never, type Reply, send } from '../../../support/hosted-host.ts';
import { hostedQuickly } from '../../remote.ts';
import { chunksOf, TOOLS } from '../refining.ts';
import { chunkOf, complete, inBrackets, startChat } from './support/chat.ts';

/** The refinery with short waits between retries. */

type Env = Readonly<Record<string, string>>;

interface Given {
  readonly tools?: Partial<HostedTools>;
  readonly options?: Partial<SummaryOptions>;
  readonly signal?: AbortSignal;
}

async function refine(env: Env, chunks: readonly Chunk[], { tools, options, signal = never }: Given = {}) {
  const logged: unknown[] = [];
  const reports: string[][] = [];
  const log = { ...quietLog, warn: (...entry: unknown[]) => logged.push(entry) };
  const { refine } = await createSummary(collaborators({ env, hosted: hostedQuickly(tools), log }));
  const report = (...one: string[]) => void reports.push(one);
  const whole = { ...(defaultsOf(manifest) as SummaryOptions), ...options };
  const refined = await refine(chunks, whole, { ...TOOLS, report, signal });
  return { contexts: refined.map(({ context }) => context), reports, logged };
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);
const bad =
  (reply: Reply): Reply =>
  (asked, response, count) =>
    chunkOf(asked).startsWith('bad') ? reply(asked, response, count) : inBrackets(asked, response, count);

t.test('each failure leaves null, and the others their contexts', async (t) => {
  const failures: Record<string, Reply> = {
    'too busy': (_, response) => send(response, 429, {}),
    'an error': (_, response) => send(response, 500, {}),
    'no answer': () => {},
    'a broken connection': (_, response) => response.destroy(),
    'half an answer': (_, response) =>
      response.writeHead(200, { 'content-length': 100 }).write('{"cho') && response.destroy(),
    'no JSON': (_, response) => response.end('<html>'),
    'no choices': (_, response) => send(response, 200, { choices: [] }),
    null: (_, response) => response.end('null'),
    'no content': (_, response) => complete(response, null),
    'another content': (_, response) => complete(response, [{ type: 'text' }]),
    'an empty answer': (_, response) => complete(response, ' \n'),
    'reasoning that did not end': (_, response) => complete(response, '<think>\nLet me'),
    'a redirection': (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  };
  const run = async ([name, reply]: [string, Reply], t: Test) => {
    const chat = await startChat(t, bad(reply));
    const chunks = chunksOf(['good', 'bad', 'better']);
    const options = { call_timeout: name === 'no answer' ? 3 : 60, concurrency: 1 };
    const { contexts, reports, logged } = await refine(chat.env, chunks, { options });
    t.same(contexts, ['<good>', null, '<better>'], name);
    t.same(reports, [['summary-failed', '1']], name);
    t.match(logged, [[{ chunks: 3, failed: 1 }]], name);
    t.notMatch(JSON.stringify(logged), /bad|Let me/, 'no text in the log');
  };
  await Promise.all(Object.entries(failures).map((one) => run(one, t)));
});

t.test('a server that is down is soon left alone, one that is up again is not', async (t) => {
  const down = await startChat(t, (_, response) => send(response, 503, {}));
  const { contexts, reports } = await refine(down.env, chunksOf(texts(200)), { options: { concurrency: 2 } });
  t.same(new Set(contexts), new Set([null]));
  t.same(reports, [['summary-failed', '200']]);
  t.ok(down.asked.length <= 12, `${down.asked.length} requests`);

  const flaky = await startChat(t, (asked, response, count) => {
    if (/[02468]$/.test(chunkOf(asked))) send(response, 503, {});
    else inBrackets(asked, response, count);
  });
  const odd = await refine(flaky.env, chunksOf(texts(40)), { options: { concurrency: 1 } });
  t.equal(odd.contexts.filter((context) => context !== null).length, 20);
  const refusing = await startChat(t, (asked, response, count) => {
    if (count <= 20) send(response, 400, {});
    else inBrackets(asked, response, count);
  });
  t.same((await refine(refusing.env, chunksOf(texts(30)))).reports, [['summary-failed', '20']]);
});

t.test('a request that nobody waits for ends its calls', async (t) => {
  const gone = new AbortController();
  const chat = await startChat(t, () => gone.abort(new Error('gone')));
  const refined = refine(chat.env, chunksOf(texts(100)), { signal: gone.signal });
  await t.rejects(refined, { message: 'gone' });
  t.ok(chat.asked.length <= 4);
});

t.test('an error ends the other calls', { timeout: 5000 }, async (t) => {
  const closed: Promise<unknown>[] = [];
  const chat = await startChat(t, (asked, response) => {
    if (chunkOf(asked) === 'text 1') setTimeout(() => send(response, 401, {}), 50);
    else closed.push(once(response, 'close'));
  });
  const options = { call_timeout: 600 };
  await t.rejects(refine(chat.env, chunksOf(texts(3)), { options }), { message: /check CHAT_API_KEY/ });
  t.equal((await Promise.all(closed)).length, 2);
});

t.test('reasoning before the answer is left out', async (t) => {
  const chat = await startChat(t, (_, response) =>
    complete(response, '\n<think>\nA <b>\n</think>\n\nIt is.'),
  );
  t.same((await refine(chat.env, chunksOf(['a']))).contexts, ['It is.']);
});

t.test('half a surrogate pair is not sent', async (t) => {
  const chat = await startChat(t);
  t.same((await refine(chat.env, chunksOf(['a\ud800', 'b😀']))).contexts, ['<a\ufffd>', '<b😀>']);
});

t.test('OpenAI itself is the default, and takes the limit under its new name', async (t) => {
  const chat = await startChat(t);
  const urls: string[] = [];
  const { CHAT_BASE_URL, ...env } = chat.env;
  const tools: Partial<HostedTools> = {
    fetch: (url, init) => {
      urls.push(String(url));
      return fetch(`${CHAT_BASE_URL}chat/completions`, init);
    },
  };
  await refine(env, chunksOf(['a']), { tools, options: { max_tokens: 5 } });
  t.same(urls, ['https://api.openai.com/v1/chat/completions']);
  t.match(chat.asked[0]?.body, { max_completion_tokens: 5, max_tokens: undefined });
  await t.rejects(refine({ ...env, CHAT_BASE_URL: 'file:///etc' }, []), {
    message: /CHAT_BASE_URL is not an http/,
  });
});
