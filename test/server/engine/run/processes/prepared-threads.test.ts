import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { plugin, pluginsFolder } from '../../../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';

/** What worker threads open before a request needs it. */

const opened = join(await temporaryFolder(t, { opened: '' }), 'opened');
/**
 * Notes in a file which models it opens. Each has another name than requests give; the one vector of a text is the
 * thread, and that of `meet` waits until two threads have such a text. `once` is opened by one thread only.
 */
const NOTING = plugin(
  { kind: 'embedding', name: 'noting', models: ['small', 'other', 'large', 'once'] },
  `import { appendFileSync, readFileSync } from 'node:fs';
  import { threadId } from 'node:worker_threads';
  const notes = ${JSON.stringify(opened)};
  const note = (text) => appendFileSync(notes, text + '\\n');
  const threadsThat = (what) => readFileSync(notes, 'utf8').split('\\n').filter((line) => line.startsWith(what + ' '));
  export default () => ({
    list: () => [],
    open: async (name) => {
      note(name + ' ' + threadId);
      if (name === 'once' && threadsThat(name).length > 1) throw new Error('in one thread only');
      return {
        name: 'own-' + name,
        bytes: name === 'large' ? 1e9 : 1000,
        tokenizer: async () => undefined,
        embed: async (texts) => {
          if (texts[0].startsWith('meet')) {
            note(texts[0] + ' ' + threadId);
            while (threadsThat(texts[0]).length < 2) await new Promise((done) => setTimeout(done, 5));
          }
          return { dimensions: 1, values: Float32Array.of(threadId) };
        },
      };
    },
  });`,
);
const pluginsDir = [await pluginsFolder(t, NOTING)];
const client = await startServer(t, { pluginsDir, workers: 2, inlineBytes: 0 });

const embed = (model: string, text = 'a') => client.post('/v1/embed', { text, embedding_model: model });

/** The threads that have opened a model, in this order. */
const threadsWith = (model: string) =>
  readFileSync(opened, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${model} `));

const isOpenTwice = (model: string) => until(() => new Set(threadsWith(model)).size === 2);

t.test('a second thread has opened the model of the first one before a request needs it', async (t) => {
  t.equal((await embed('small')).status, 200);
  await isOpenTwice('small');
  const [one, other] = await Promise.all([embed('small', 'meet 1'), embed('small', 'meet 1')]);
  t.not(one.bytes.toString(), other.bytes.toString(), 'they run in two threads');
  t.equal(threadsWith('small').length, 2, 'and open nothing');
});

t.test('a thread that has started opens later models, too, but none that takes much memory', async (t) => {
  t.equal((await embed('large')).status, 200);
  t.equal((await embed('other')).status, 200);
  await isOpenTwice('other');
  t.equal(threadsWith('large').length, 1);
});

t.test('a model that a thread could not open is reported to the request that needs it there', async (t) => {
  t.equal((await embed('once')).status, 200);
  await isOpenTwice('once');
  const both = [embed('once', 'meet 2'), embed('once', 'meet 2')];
  const { status, json } = await Promise.race(both);
  t.equal(status, 500);
  t.match(json<{ detail: string }>().detail, /"noting" failed/);
  t.equal((await embed('small', 'meet 2')).status, 200, 'the other request waits for this thread');
  t.same((await Promise.all(both)).map((answer) => answer.status).toSorted(), [200, 500]);
});
