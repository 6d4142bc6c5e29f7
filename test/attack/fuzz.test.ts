import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../support/plugins.ts';
import { startServer } from '../support/server.ts';
import { type Breach, checkRequests, fuzz, SEED } from './fuzzer.ts';

t.test('whatever is sent, the answer is as described and never an unexpected 5xx', async (t) => {
  const { send } = await checkRequests(t, { workers: 0 });
  await send(150, SEED);
});

t.test('the fuzzer finds a bug that is put in on purpose', async (t) => {
  const bug = `if (text.length % 2 === 1) throw new Error('a bug'); ${WHOLE_TEXT}`;
  const folder = await pluginsFolder(t, chunker('faulty', bug));
  const client = await startServer(t, { plugins: ['faulty', 'character'], pluginsDir: [folder] });
  const isBug = ({ status, request }: Breach) =>
    status === 500 && request.path.startsWith('/v1/chunk/faulty');
  const breaches = await fuzz(client, 1200, 1, isBug);
  t.ok(breaches.some(isBug));
});
