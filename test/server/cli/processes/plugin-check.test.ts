import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { CheckReport } from '../../../../server/cli/plugin/check-command.ts';
import { chunker, plugin, pluginsFolder } from '../../../support/plugins.ts';
import type { CliResult } from '../cli.ts';
import { runCli } from './cli-process.ts';

/** `plugin check` runs plugins in a process that they may end, or keep busy for ever. */

const STUCK = "if (text.includes('Yes!')) BAD; return [{ start: 0, end: text.length }];";
/** As a loop without an end does, but for the processor. */
const BLOCKED = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

t.test('the guide for authors shows what it prints', async (t) => {
  const page = (name: string) => readFileSync(join(import.meta.dirname, '../../../../plugins', name), 'utf8');
  const files = page('EXAMPLES.md').matchAll(/^`(my-plugins\/section\/\S+)`\n\n```js\n([\s\S]*?)^```$/gm);
  const sources = Object.fromEntries([...files].map(([, path, source]) => [path, source]));
  const cwd = await pluginsFolder(t, sources);
  const [, command = '', shown = ''] =
    /^\$ npm run -s chunksmith -- (plugin check .*)\n([\s\S]*?)^```$/m.exec(page('CHECKING.md')) ?? [];
  t.equal((await runCli(t, command.split(' '), { cwd })).stdout, shown);
});

const resultIn = ({ stdout }: CliResult, name: string) => {
  const { checks } = JSON.parse(stdout) as CheckReport;
  return checks.find(({ check }) => check === name);
};

t.test('a plugin that hangs, or ends its process, is told with its last input', async (t) => {
  const hanging = chunker('hangs', STUCK.replace('BAD', BLOCKED));
  const exiting = chunker('exits', STUCK.replace('BAD', 'process.exit(0)'));
  const ending = plugin({ kind: 'chunker', name: 'ends' }, 'process.exit(3);');
  const cwd = await pluginsFolder(t, hanging, exiting, ending);
  const check = (...args: string[]) => runCli(t, ['plugin', 'check', ...args, '--json'], { cwd });
  const checks = [check('exits'), check('hangs', '--limit', '15'), check('ends')] as const;
  const [exits, hangs, ends] = await Promise.all(checks);
  for (const [result, where] of [
    [exits, 'it ended the process with status 0, on the last input'],
    [hangs, 'it did not end within 15 s, on the last input'],
  ] as const) {
    t.equal(result.status, 1, result.stderr);
    const failed = resultIn(result, 'contract');
    t.match(failed, { state: 'failed', failures: [{ where }] });
    t.match(failed?.failures[0]?.smallest?.value, { text: /Yes!/ });
  }
  t.equal(resultIn(exits, 'growth')?.state, 'ok', 'it goes on after it');
  t.match(resultIn(ends, 'factory'), { failures: [{ where: 'it ended the process with status 3' }] });
  t.match(exits.stderr, /^\d+ of \d+ checks failed$/m);
});
