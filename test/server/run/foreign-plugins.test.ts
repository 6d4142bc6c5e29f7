import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startProcess, until } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--workers', '1', '--request-timeout', '1'];
const LATE = /longer than 1 s and was stopped/;

t.test('a plugin that is dropped in never blocks the event loop, however short the text', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('endless', 'for (;;);'),
    chunker('silent', 'return new Promise(() => {});'),
    chunker('whole', WHOLE_TEXT),
  );
  const args = [...LOCAL, '--plugins-dir', folder, '--data-dir', await temporaryFolder(t)];
  const server = startProcess(t, args);
  const client = await server.listening();

  for (const name of ['endless', 'silent']) {
    await t.test(
      `${name}: /health answers meanwhile, and the caller reads 503 after the limit`,
      async (t) => {
        const order: string[] = [];
        const late = client.post(`/v1/chunk/${name}`, { text: 'a' });
        const noted = late.finally(() => order.push('late'));
        t.equal((await client.get('/health')).status, 200);
        order.push('health');
        checkProblem(t, await noted, 503, LATE);
        t.same(order, ['health', 'late']);
        // On a busy machine a new thread may take longer to start than a request may.
        const whole = async () => (await client.post('/v1/chunk/whole', { text: 'abc' })).status === 200;
        t.ok(await until(whole), 'the next one is served');
      },
    );
  }

  await t.test('a step of a pipeline neither', async (t) => {
    const steps = [
      { type: 'chunk', chunker: 'token', config: {} },
      { type: 'chunk', chunker: 'endless', config: {} },
    ];
    const { id } = (await client.post('/v1/pipelines', { name: 'one', steps })).json<{ id: string }>();
    const late = client.post(`/v1/pipelines/${id}/execute`, { text: 'a' });
    t.equal((await client.get('/health')).status, 200);
    checkProblem(t, await late, 503, LATE);
  });

  await t.test('SIGTERM ends the server while it runs', async (t) => {
    const late = client.post('/v1/chunk/endless', { text: 'a' });
    t.equal((await client.get('/health')).status, 200);
    server.child.kill('SIGTERM');
    checkProblem(t, await late, 503, LATE);
    t.equal(await server.ended(), 0);
  });
});
