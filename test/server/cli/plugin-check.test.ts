import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type CliResult, runCli } from '../../support/cli.ts';
import { chunker, plugin, pluginsFolder } from '../../support/plugins.ts';

/** `plugin check` in processes of its own, on folders outside the project. */

interface Report {
  readonly plugin?: string;
  readonly checks: readonly {
    readonly check: string;
    readonly state: string;
    readonly detail?: string;
    readonly failures: readonly {
      readonly promise: string;
      readonly where?: string;
      readonly smallest?: { readonly value: unknown; readonly seed?: number };
      readonly remedy: string;
    }[];
  }[];
}

const LOSSLESS = { example: { text: 'Tea.' }, guarantees: { lossless: true } };
const README = (name: string) => ({ [`${name}/README.md`]: `# The chunker ${name}\n` });

async function check(t: Test, files: Record<string, string>, folder: string, ...flags: string[]) {
  const cwd = await pluginsFolder(t, files);
  return runCli(t, ['plugin', 'check', folder, '--runs', '40', ...flags], { cwd });
}

const reportOf = ({ stdout }: CliResult): Report => JSON.parse(stdout) as Report;
const checkIn = ({ checks }: Report, name: string) => checks.find(({ check }) => check === name);
const failedIn = (report: Report) =>
  report.checks.filter(({ state }) => state === 'failed').map(({ check }) => check);

const STUCK = "if (text.includes('Yes!')) BAD; return [{ start: 0, end: text.length }];";
const stuck = await pluginsFolder(
  t,
  chunker('hangs', STUCK.replace('BAD', 'for (;;);')),
  chunker('exits', STUCK.replace('BAD', 'process.exit(0)')),
);
/** It waits for most of its time, so the others need not wait for it. */
const hanging = runCli(t, ['plugin', 'check', 'hangs', '--limit', '12', '--json'], { cwd: stuck });

t.test('a plugin that keeps its promises has a line for each check', async (t) => {
  const files = {
    ...chunker('whole', 'return [{ start: 0, end: text.length }];', LOSSLESS),
    ...README('whole'),
  };
  const { status, stdout } = await check(t, files, 'whole');
  t.equal(status, 0);
  t.match(stdout, /^chunker\/whole in whole\nok +manifest\nok +needs +nothing\n/);
  for (const line of [/^ok +README$/m, /^ok +nothing lost +40 requests/m, /^ok +growth /m])
    t.match(stdout, line);
  t.match(stdout, /^left out +limits +its manifest does not guarantee `bounded`$/m);
});

t.test('the guide for authors shows what it prints', async (t) => {
  const page = (name: string) => readFileSync(join(import.meta.dirname, '../../../plugins', name), 'utf8');
  const files = page('EXAMPLES.md').matchAll(/^`(my-plugins\/section\/\S+)`\n\n```js\n([\s\S]*?)^```$/gm);
  const cwd = await pluginsFolder(
    t,
    Object.fromEntries([...files].map(([, path, source]) => [path, source])),
  );
  const [, command = '', shown = ''] =
    /^\$ npx chunksmith (plugin check .*)\n([\s\S]*?)^```$/m.exec(page('AUTHORS.md')) ?? [];
  t.equal((await runCli(t, command.split(' '), { cwd })).stdout, shown);
});

t.test('a broken promise is shown with the smallest text, the place and what to change', async (t) => {
  const files = { ...chunker('loses', 'return [{ start: 0, end: 1 }];', LOSSLESS), ...README('loses') };
  const { status, stdout, stderr } = await check(t, files, './loses', '--seed', '7');
  t.equal(status, 1);
  t.match(stdout, /^failed +nothing lost\n {4}broken: no text is lost between chunks\n/m);
  t.match(
    stdout,
    /^ {4}where: the text from 1 to 2 is lost\n {4}smallest input: \{"text":"\S{2,7}",.*\} \(seed 7\)\n {4}to change: \w/m,
  );
  t.match(stderr, /^\d+ of 15 checks failed$/m);
});

t.test('as JSON it says the same, of a plugin in TypeScript that breaks several promises', async (t) => {
  const made = `export default () => ({
    chunk(text: string): object[] { return [{ start: 0, end: text.length, token_count: 1, extra: { n: Math.random() } }]; },
  });`;
  const { 'said/manifest.js': manifest = '' } = plugin({ kind: 'chunker', name: 'said', ...LOSSLESS }, '');
  const result = await check(t, { 'said/manifest.ts': manifest, 'said/index.ts': made }, 'said', '--json');
  t.equal(result.status, 1);
  const report = reportOf(result);
  t.equal(report.plugin, 'chunker/said');
  t.same(failedIn(report), ['README', 'token counts', 'determinism']);
  const counted = checkIn(report, 'token counts')?.failures[0];
  t.match(counted, { where: /^chunk 0 \[0, \d+\) says 1, counted are \d+$/, remedy: /token_count/ });
  t.type(counted?.smallest?.seed, 'number');
});

t.test('what cannot be run is checked as far as its files go', async (t) => {
  const needs = { packages: ['no-such-package'] };
  const cwd = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'needy', needs }, 'export default 1;'),
    plugin({ kind: 'chunker', name: 'broken' }, "import './no-such-file.js';"),
    plugin({ kind: 'chunker', name: 'wrong', sumary: 'x' }, 'export default 1;'),
    plugin({ kind: 'chunker', name: 'ends' }, 'process.exit(3);'),
  );
  const run = async (name: string) => reportOf(await runCli(t, ['plugin', 'check', name, '--json'], { cwd }));
  const [needy, broken, wrong, ends] = await Promise.all([
    run('needy'),
    run('broken'),
    run('wrong'),
    run('ends'),
  ]);
  t.match(checkIn(needy, 'needs'), { state: 'left out', detail: /npm install no-such-package/ });
  t.match(checkIn(needy, 'growth'), { state: 'left out', detail: /npm install no-such-package/ });
  t.same(failedIn(needy), ['README']);
  t.match(checkIn(broken, 'factory'), { failures: [{ where: /no-such-file\.js.*index\.js:1/ }] });
  t.match(checkIn(broken, 'example'), { state: 'left out', detail: 'it cannot be made' });
  t.same(failedIn(wrong), ['manifest']);
  t.match(checkIn(wrong, 'manifest'), { failures: [{ where: /sumary.*did you mean "summary"/ }] });
  t.match(checkIn(ends, 'factory'), { failures: [{ where: 'it ended the process with status 3' }] });
});

t.test('a package in node_modules is checked under its own name', async (t) => {
  const { 'cut/manifest.js': manifest = '', 'cut/index.js': index = '' } = chunker(
    'cut',
    'return [{ start: 0, end: text.length }];',
    LOSSLESS,
  );
  const folder = join('node_modules', '@acme', 'chunksmith-cut');
  const files = {
    [join(folder, 'package.json')]: '{"name":"@acme/chunksmith-cut","version":"1.0.0","type":"module"}',
    [join(folder, 'manifest.js')]: manifest,
    [join(folder, 'index.js')]: index,
    [join(folder, 'README.md')]: '# cut\n',
  };
  const { status, stdout } = await check(t, files, folder);
  t.equal(status, 0, stdout);
});

t.test('a command that is not right says what was meant', async (t) => {
  const files = chunker('section', 'return [];');
  const cwd = await pluginsFolder(t, { ...files, 'notes/text.md': 'x' });
  const run = (...args: string[]) => runCli(t, ['plugin', 'check', ...args], { cwd });
  t.match(await run('sektion'), { status: 2, stderr: /no such folder, did you mean section\?/ });
  t.match(await run('.'), { status: 2, stderr: /no plugin itself: give one of those in it, section/ });
  t.match(await run('notes'), { status: 2, stderr: /no plugin: there is no manifest\.ts/ });
  t.match(await run('section', '--runs', '0'), { status: 2, stderr: /expected 1 or more/ });
  t.match(await runCli(t, ['plugin', 'chek'], { cwd }), { status: 2, stderr: /Did you mean check/ });
});

t.test('a plugin that hangs, or ends its process, is told with its last input', async (t) => {
  const exiting = runCli(t, ['plugin', 'check', 'exits', '--json'], { cwd: stuck });
  const ends = [
    [await exiting, 'it ended the process with status 0, on the last input'],
    [await hanging, 'it did not end within 12 s, on the last input'],
  ] as const;
  for (const [result, where] of ends) {
    t.equal(result.status, 1, result.stderr);
    const failed = checkIn(reportOf(result), 'contract');
    t.match(failed, { state: 'failed', failures: [{ where }] });
    t.match(failed?.failures[0]?.smallest?.value, { text: /Yes!/ });
    t.equal(checkIn(reportOf(result), 'growth')?.state, 'ok', 'it goes on behind it');
  }
});
