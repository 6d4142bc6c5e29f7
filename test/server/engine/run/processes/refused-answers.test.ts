import { readFileSync } from 'node:fs';
import t from 'tap';
import { startProcess } from '../../../../support/process.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';

const skip = process.platform !== 'linux' && 'only Linux says what memory a process has';
const MAX_MEGABYTES = 400;
const MAX_KEPT = 200;

t.test('an answer of 16 GB that is refused takes little memory, which is given back', { skip }, async (t) => {
  const server = startProcess(t, ['--port', '0', '--workers', '2', '--data-dir', await temporaryFolder(t)]);
  const client = await server.listening();
  const megabytes = (field: string) => {
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  };
  const threads = Array.from({ length: 8 }, () =>
    client.post('/v1/chunk/token', { text: 'ab'.repeat(5000), chunk_size: 100 }),
  );
  await Promise.all(threads);
  const idle = megabytes('VmRSS');
  const request = {
    documents: [{ text: 'ab'.repeat(500_000), metadata: { a: 'x'.repeat(16_000) } }],
    chunk_size: 1,
  };
  for (let round = 0; round < 3; round++) {
    const refused = await Promise.all([1, 2].map(() => client.post('/v1/chunk/token', request)));
    for (const { status } of refused) t.equal(status, 400);
  }
  const peak = megabytes('VmHWM') - idle;
  t.ok(peak < MAX_MEGABYTES, `${Math.round(peak)} MB more than idle at most`);
  const kept = () => megabytes('VmRSS') - idle;
  await until(() => kept() < MAX_KEPT, 10_000).catch(() => undefined);
  t.ok(kept() < MAX_KEPT, `${Math.round(kept())} MB are kept`);
});
