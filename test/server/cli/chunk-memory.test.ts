import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { BY_CHARACTERS, startCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/server.ts';

const MB = 1e6;
const LINE = (id: number): string =>
  `${JSON.stringify({ id: `${id}`, text: `some text of document ${id} `.repeat(400) })}\n`;

t.setTimeout(120_000);

/** The most memory in bytes that a run had which chunks so many bytes of standard input. */
async function peakOf(bytes: number): Promise<number> {
  const cwd = await temporaryFolder(t);
  const run = startCli(t, ['chunk', '-', ...BY_CHARACTERS(2000), '--workers', '2', '--json'], {
    cwd,
    shell: 'exec "$@" > /dev/null',
  });
  const { stdin, pid } = run.child;
  let peak = 0;
  let id = 0;
  for (let sent = 0; sent < bytes; ) {
    const lines = Array.from({ length: 100 }, () => LINE(id++)).join('');
    sent += lines.length;
    if (stdin?.write(lines) === false) await once(stdin, 'drain');
    if (id % 1000 === 0) peak = Math.max(peak, await peakNow(pid));
  }
  peak = Math.max(peak, await peakNow(pid));
  stdin?.end();
  const { status, summary } = await run.ended();
  t.equal(status, 0);
  t.equal(summary().documents, id);
  return peak;
}

async function peakNow(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

t.test('memory does not grow with the source', { skip: process.platform !== 'linux' }, async (t) => {
  const small = await peakOf(10 * MB);
  const large = await peakOf(120 * MB);
  t.ok(large < small + 150 * MB, `${Math.round(small / MB)} MB, then ${Math.round(large / MB)} MB`);
});
