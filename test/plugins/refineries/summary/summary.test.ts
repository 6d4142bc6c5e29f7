import t, { type Test } from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import manifest from '../../../../plugins/refineries/summary/manifest.ts';
import { exampleFor } from '../../../../server/cli/check.ts';
import { KEY, type Reply, send } from '../../../support/hosted-host.ts';
import { checkProblem } from '../../../support/problems.ts';
import { startServer } from '../../../support/server.ts';
import { chunkStep, composeQuietly, jsonOf, openService, refineStep } from '../../../support/service.ts';
import { setVariables } from '../../../support/variables.ts';
import { checkPromises } from '../../remote.ts';
import { chunksOf } from '../refining.ts';
import { chunkOf, inBrackets, MODEL, prefixOf, promptOf, startChat } from './support/chat.ts';

const PLUGINS = ['summary', 'token', 'character'];

/** A service whose refinery asks a stand-in. */
async function startBoth(t: Test, reply?: Reply) {
  const chat = await startChat(t, reply);
  setVariables(t, chat.env);
  const service = await openService(t, { plugins: PLUGINS });
  const post = (chunks: readonly unknown[], options: object = {}) =>
    service.post('/v1/refine/summary', { chunks, ...options });
  const contexts = async (chunks: readonly unknown[], options?: object) =>
    jsonOf<Chunk[]>(await post(chunks, options)).map(({ context }) => context);
  return { chat, service, post, contexts };
}

t.test('where it is not configured, the answer names the variables', async (t) => {
  setVariables(t, { CHAT_API_KEY: undefined, CHAT_MODEL: undefined, CHAT_BASE_URL: undefined });
  const { post } = await startServer(t, { plugins: PLUGINS });
  const answer = await post('/v1/refine/summary', manifest.example);
  checkProblem(t, answer, 500, [/variable CHAT_API_KEY/, /variable CHAT_MODEL/]);
});

t.test('each chunk gets the answer for it, and calls have the key, the model and the limit', async (t) => {
  const { chat, post } = await startBoth(t);
  const answer = await post(manifest.example.chunks, { max_tokens: 7, instruction: 'Say it.' });
  const expected = manifest.example.chunks.map((chunk) => ({ ...chunk, context: `<${chunk.text}>` }));
  t.same(answer.json(), expected);
  t.equal(answer.headers.get('x-summary-failed'), null);
  const content =
    '<document>\nRun npm ci. Then start the server.\n</document>\n\nSay it.\n\n<chunk>\nRun npm ci. \n</chunk>';
  const body = { model: MODEL, max_tokens: 7, messages: [{ role: 'user', content }] };
  const call = chat.asked.find((asked) => chunkOf(asked) === 'Run npm ci. ');
  t.match(call, { url: '/v1/chat/completions', authorization: `Bearer ${KEY}`, body });
});

t.test('the prompts of a document begin with the same text, in which nothing is repeated', async (t) => {
  const { chat, service } = await startBoth(t);
  const steps = [chunkStep('token', { chunk_size: 6, chunk_overlap: 2 }), refineStep('summary')];
  const documents = [{ text: 'abcdefghijklmnopqrst', title: ' The alphabet ' }, { text: 'uvwxyz' }];
  t.match((await service.execute(steps, { documents })).json(), [
    [{ text: 'abcdef', context: '<abcdef>' }, {}, {}, {}, {}],
    [{ context: '<uvwxyz>' }],
  ]);
  const prefixes = ['<document>\nTitle: The alphabet\n\nabcdefghijklmnopqrst\n', '<document>\nuvwxyz\n'];
  t.same(new Set(chat.asked.map(prefixOf)), new Set(prefixes));
});

t.test('what is there already stands behind the answer', async (t) => {
  const { contexts, chat } = await startBoth(t);
  const fields = ['| a |\n| - |', null, '', 7];
  const chunks = chunksOf(['a', 'b', 'c', 'd']).map((chunk, at) => ({ ...chunk, context: fields[at] }));
  t.same(await contexts(chunks), ['<a>\n| a |\n| - |', '<b>', '<c>', '<d>']);
  const asked = chat.asked.length;
  const blank = [...chunksOf([' \n']), { ...chunks[0], text: '' }];
  t.same(await contexts(blank), [null, '| a |\n| - |']);
  t.equal(chat.asked.length, asked, 'white space is not asked about');
});

t.test('there are never more calls at once than asked for', async (t) => {
  const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
  for (const concurrency of [1, 3]) {
    const { chat, contexts } = await startBoth(t);
    const expected = texts.map((text) => `<${text}>`);
    t.same(await contexts(chunksOf(texts), { concurrency }), expected);
    t.equal(chat.seen.most, concurrency);
  }
});

t.test('what was asked before is not asked again', async (t) => {
  let isDown = true;
  const { chat, contexts } = await startBoth(t, (asked, response, count) => {
    if (isDown && chunkOf(asked) === 'b') send(response, 400, { error: 'no' });
    else inBrackets(asked, response, count);
  });
  const chunks = chunksOf(['a', 'b', 'c']);
  t.same(await contexts(chunks), ['<a>', null, '<c>']);
  isDown = false;
  t.same(await contexts(chunks), ['<a>', '<b>', '<c>']);
  t.same(chat.asked.slice(3).map(chunkOf), ['b'], 'only what has failed');
  t.same(await contexts(chunks), ['<a>', '<b>', '<c>']);
  t.equal(chat.asked.length, 4);
  for (const other of [{ instruction: 'Else.' }, { max_tokens: 9 }]) await contexts(chunks, other);
  await contexts(chunksOf(['a', 'b', 'd']));
  t.equal(chat.asked.length, 13, 'another question, limit or document is asked');
});

t.test('a call that is refused leaves no context, and the header says of how many', async (t) => {
  const { post } = await startBoth(t, (asked, response, count) => {
    if (chunkOf(asked).startsWith('bad')) send(response, 400, { error: { message: 'too long' } });
    else inBrackets(asked, response, count);
  });
  const chunks = chunksOf(['good', 'bad', 'bad too'], { context: 'header' });
  const answer = await post(chunks);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('x-summary-failed'), '2');
  const expected = chunks.map((chunk, at) => ({ ...chunk, context: at === 0 ? '<good>\nheader' : null }));
  t.same(answer.json(), expected);
  t.equal((await post([chunks, chunks.slice(0, 1)])).headers.get('x-summary-failed'), '2, -');
});

t.test('a wrong key or model is an error that says what to check', async (t) => {
  for (const [status, remedy] of [
    [401, /answered 401: you sent Bearer \*\*\*; check CHAT_API_KEY/],
    [404, /check the model's name and the base URL/],
  ] as const) {
    const { chat, post } = await startBoth(t, ({ authorization }, response) =>
      send(response, status, { error: { message: `you sent ${authorization}` } }),
    );
    const answer = await post(chunksOf(Array.from({ length: 50 }, (_, index) => `text ${index}`)));
    checkProblem(t, answer, 500, [/^The refinery "summary" failed: The chat API answered/, remedy]);
    t.notOk(answer.bytes.includes(KEY));
    t.ok(chat.asked.length <= 8, 'the others are not asked');
  }
});

t.test('a long document is sent as windows', async (t) => {
  const { chat, contexts } = await startBoth(t);
  const texts = Array.from({ length: 60 }, (_, index) => `<${index}>`.padEnd(10, '.'));
  t.equal((await contexts(chunksOf(texts), { max_document_tokens: 100 })).length, 60);
  for (const asked of chat.asked) {
    const window = prefixOf(asked).slice('<document>\n'.length, -1);
    t.equal(window.length, 100);
    t.ok(window.includes(chunkOf(asked)), 'the chunk stands in its window');
  }
  t.ok(new Set(chat.asked.map(prefixOf)).size <= 12, 'neighbours share windows');
  const isLast = chat.asked.every((asked) => promptOf(asked).endsWith('</chunk>'));
  t.ok(isLast, 'the chunk is the last');
});

t.test('the documentation and the check of the plugins ask nothing', async (t) => {
  const { chat } = await startBoth(t);
  const { get } = await startServer(t, { plugins: PLUGINS });
  t.match((await get('/openapi.json')).json(), { paths: { '/v1/refine/summary': {} } });
  const { registry, host } = await composeQuietly({ plugins: PLUGINS });
  const entry = registry.require('refinery', 'summary');
  t.same([entry.missing, await exampleFor(entry, { registry, host })], [[], undefined]);
  t.equal(chat.asked.length, 0);
});

t.test('it keeps the promises of refineries', async (t) => {
  setVariables(t, (await startChat(t)).env);
  t.match(await checkPromises('refinery', 'summary', { runs: 30 }), /30 lists/);
});
