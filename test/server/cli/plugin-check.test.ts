import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type CheckReport, failedIn, inLines, reportOf } from '../../../server/cli/plugin/check-command.ts';
import { type CheckEvent, checkPlugin } from '../../../server/cli/plugin/check-steps.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkFailures, runHere } from './command.ts';

/** What `plugin check` says of folders outside the project; processes/plugin-check.test.ts has the command itself. */

const LOSSLESS = { example: { text: 'Tea.' }, guarantees: { lossless: true } };
const README = (name: string) => ({ [`${name}/README.md`]: `# The chunker ${name}\n` });

/** Checks all of a plugin but its growth, which takes longest. */
async function check(folder: string, seed?: number): Promise<CheckReport> {
  const events: CheckEvent[] = [];
  await checkPlugin({ folder, runs: 40, seed, done: ['growth'] }, {}, (event) => events.push(event));
  return reportOf(events);
}

async function checkIn(t: Test, files: Record<string, string>, folder: string, seed?: number) {
  return check(join(await pluginsFolder(t, files), folder), seed);
}

const resultIn = ({ checks }: CheckReport, name: string) => checks.find(({ check }) => check === name);
const namesOfFailed = ({ checks }: CheckReport) =>
  checks.filter(({ state }) => state === 'failed').map(({ check }) => check);

t.test('a plugin that keeps its promises has a line for each check', async (t) => {
  const report = await checkIn(t, { ...chunker('whole', WHOLE_TEXT, LOSSLESS), ...README('whole') }, 'whole');
  t.equal(failedIn(report), 0);
  const said = inLines('whole', report);
  t.match(said, /^chunker\/whole in whole\nok +manifest\nok +needs +nothing\n/);
  for (const line of [/^ok +README$/m, /^ok +nothing lost +40 requests/m]) t.match(said, line);
  t.match(said, /^left out +limits +its manifest does not guarantee `bounded`$/m);
});

t.test('a broken promise is shown with the smallest text, the place and what to change', async (t) => {
  const files = { ...chunker('loses', 'return [{ start: 0, end: 1 }];', LOSSLESS), ...README('loses') };
  const report = await checkIn(t, files, 'loses', 7);
  t.ok(failedIn(report) > 0);
  const said = inLines('./loses', report);
  for (const lines of [
    /^failed +nothing lost\n {4}expected: no text is lost between chunks\n/m,
    /^ {4}found: the text from 1 to 2 is lost\n {4}smallest input: \{"text":"\S{2,7}",.*\} \(seed 7\)\n/m,
    /^ {4}to change: \w/m,
  ])
    t.match(said, lines);
});

t.test('a reader that puts U+FFFD for what it does not know fails, on bytes that are shown', async (t) => {
  const made = `export default () => ({ read({ bytes }, { signal }) {
    signal.throwIfAborted();
    return { text: new TextDecoder().decode(bytes) };
  } });`;
  const manifest = { kind: 'reader', name: 'loose', formats: { extensions: ['.loose'] } } as const;
  const said = inLines(
    'loose',
    await checkIn(t, { ...plugin(manifest, made), ...README('loose') }, 'loose', 7),
  );
  t.match(said, /expected: U\+FFFD is in the text only if the file has it\n {4}found: "[^"]*\ufffd/);
  t.match(said, /smallest input: \{"bytes":\[\d[\d,]*\]/);
});

t.test('the cause of what a guarded reader throws in its thread is found', async (t) => {
  const manifest = { kind: 'reader', name: 'throws', formats: { extensions: ['.x'] }, guarded: true };
  const made = "export default () => ({ read() { throw new Error('always'); } });";
  const report = await checkIn(t, { ...plugin(manifest, made), ...README('throws') }, 'throws', 7);
  t.same(namesOfFailed(report), ['refusals']);
  t.match(resultIn(report, 'refusals')?.failures, [{ where: 'Error: always (index.js:1)' }]);
});

t.test('a plugin in TypeScript breaks several promises, which are told apart', async (t) => {
  const made = `export default () => ({
    chunk(text: string): object[] { return [{ start: 0, end: text.length, token_count: 1, extra: { n: Math.random() } }]; },
  });`;
  const { 'said/manifest.js': manifest = '' } = plugin({ kind: 'chunker', name: 'said', ...LOSSLESS }, '');
  const report = await checkIn(t, { 'said/manifest.ts': manifest, 'said/index.ts': made }, 'said');
  t.equal(report.plugin, 'chunker/said');
  t.same(namesOfFailed(report), ['README', 'token counts', 'determinism']);
  const counted = resultIn(report, 'token counts')?.failures[0];
  t.match(counted, { where: /^chunk 0 \[0, \d+\) says 1, but the count is \d+$/, remedy: /token_count/ });
  t.type(counted?.smallest?.seed, 'number');
});

t.test('what cannot be run is checked as far as its files go', async (t) => {
  const needs = { packages: ['no-such-package'] };
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'needy', needs }, 'export default 1;'),
    plugin({ kind: 'chunker', name: 'broken' }, "import './no-such-file.js';"),
    plugin(
      { kind: 'chunker', name: 'astray', uses: ['tokenizer/charakter'], engine: '>=99' },
      'export default 1;',
    ),
    plugin({ kind: 'chunker', name: 'wrong', sumary: 'x' }, 'export default 1;'),
  );
  const checked = (name: string) => check(join(folder, name));
  const [needy, broken, wrong] = [await checked('needy'), await checked('broken'), await checked('wrong')];
  for (const name of ['needs', 'example'])
    t.match(resultIn(needy, name), { state: 'left out', detail: /npm install no-such-package/ });
  t.same(namesOfFailed(needy), ['README']);
  const astray = await checked('astray');
  for (const where of [
    /tokenizer\/charakter does not exist, did you mean tokenizer\/character\?/,
    /^engine: .*version >=99 of/,
  ])
    t.ok(
      resultIn(astray, 'manifest')?.failures.some((one) => where.test(one.where ?? '')),
      String(where),
    );
  t.match(resultIn(broken, 'factory'), {
    failures: [{ where: /no-such-file\.js.* imported from .*index\.js/ }],
  });
  t.match(resultIn(broken, 'example'), { state: 'left out', detail: 'it cannot be created' });
  t.same(namesOfFailed(wrong), ['manifest']);
  t.match(resultIn(wrong, 'manifest'), { failures: [{ where: /sumary.*did you mean "summary"/ }] });
});

t.test('a package in node_modules is checked under its own name', async (t) => {
  const cut = chunker('cut', WHOLE_TEXT, LOSSLESS);
  const folder = join('node_modules', '@acme', 'chunksmith-cut');
  const files = {
    [join(folder, 'package.json')]: '{"name":"@acme/chunksmith-cut","version":"1.0.0","type":"module"}',
    [join(folder, 'manifest.js')]: cut['cut/manifest.js'] ?? '',
    [join(folder, 'index.js')]: cut['cut/index.js'] ?? '',
    [join(folder, 'README.md')]: '# cut\n',
  };
  t.same(namesOfFailed(await checkIn(t, files, folder)), []);
});

t.test('a command that is not right says what was meant', async (t) => {
  const cwd = await pluginsFolder(t, { ...chunker('section', 'return [];'), 'notes/text.md': 'x' });
  await checkFailures(t, (...args) => runHere(t, ['plugin', ...args], { cwd }), [
    ['check sektion', /no such folder, did you mean section\?/],
    ['check .', /not a plugin itself: choose one inside it, section/],
    ['check notes', /not a plugin: it has no manifest\.ts/],
    ['check section --runs 0', /expected 1 or more/],
    ['chek', /Did you mean check/],
  ]);
});
