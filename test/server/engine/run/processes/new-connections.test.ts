import { get } from 'node:http';
import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../../support/plugins.ts';
import { startProcess } from '../../../../support/process.ts';
import { metricOf, temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';

t.test('new connections do not wait behind tasks', async (t) => {
  const body = `const end = Date.now() + 30; while (Date.now() < end) {} ${WHOLE_TEXT}`;
  const pluginsDir = await pluginsFolder(t, chunker('busy', body, { light: true }));
  const args = ['--port', '0', '--data-dir', await temporaryFolder(t), '--plugins-dir', pluginsDir];
  const client = await startProcess(t, args).listening();
  let done = 0;
  let isOver = false;
  const tasks = Array.from({ length: 50 }, async () => {
    for (; !isOver; done++) t.equal((await client.post('/v1/chunk/busy', { text: 'a' })).status, 200);
  });
  await until(async () => (await metricOf(client, 'queue_depth')) > 20);
  const before = done;
  await Promise.all(Array.from({ length: 20 }, () => healthOnNewConnection(client.port)));
  t.ok(done - before < 10, `${done - before} tasks meanwhile`);
  isOver = true;
  await Promise.all(tasks);
});

function healthOnNewConnection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false }, (answer) => {
      answer.resume().once('end', resolve);
    }).once('error', reject);
  });
}
