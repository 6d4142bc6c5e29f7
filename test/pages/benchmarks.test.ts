import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { chartOf, SCHEMES } from '../bench/report/chart.ts';
import { verdictOf } from '../bench/report/check.ts';
import { readFigures } from '../bench/report/figures.ts';
import { pageOf } from '../bench/report/page.ts';
import { ENDURED, SECTIONS, SOURCES } from '../bench/report/sources.ts';
import { isHere } from '../support/here.ts';

/** BENCHMARKS.md is what its command wrote, and other pages quote no figures that it does not have. */

const ROOT = join(import.meta.dirname, '../..');
const QUOTING = ['README.md', 'server/OPERATIONS.md', 'server/CORPORA.md'];
const MAX_LINES = 360;
const NAMES = ['Exactness', 'Quality', 'Speed', 'Endurance'];
/** What a figure of speed is called; examples of output are not figures. */
const FIGURE = /(\d[\d.,]*)(?:x(?!\w)| ?MB\/s| times as (?:fast|long|much))/g;
/** Peers by the names of their packages, and as benchmarks call them, which the page does not. */
const PEERS =
  /(?<![\w@/-])(?:@chonkiejs\/core|@langchain\/textsplitters|@llamaindex\/core|chonkiejs|langchain|llamaindex|ai-tokenizer|gpt-tokenizer|js-tiktoken)(?![\w-])/g;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = read('BENCHMARKS.md');
const figures = readFigures();
const rows = page.split('\n').filter((line) => /^\| (?!---)/.test(line));

t.test('the page and its charts show the figures that were measured', async (t) => {
  t.equal(page, pageOf(figures), 'npm run bench -- report --only page');
  for (const scheme of SCHEMES)
    t.equal(read(`.github/images/benchmark-${scheme}.svg`), chartOf(figures, scheme), scheme);
});

t.test('it has a table for each subject, with date, versions and machine', async (t) => {
  t.ok(page.split('\n').length <= MAX_LINES, `${page.split('\n').length} lines`);
  const sections = page.split(/^## /m).slice(1);
  t.same(
    sections.map((text) => text.split('\n')[0]),
    NAMES,
  );
  for (const section of sections) {
    t.match(
      section,
      /`npm run bench -- report --only \w+`, \d{4}-\d\d-\d\d(?: and \d{4}-\d\d-\d\d)*, chunksmith \d+\.\d+\.\d+(?: and \d+\.\d+\.\d+)* \([\w ]+\), .* cores of .*Node/,
    );
    t.match(section, /^\| --- \|/m);
  }
});

t.test('it shows each source, and says when figures are of another run', async (t) => {
  const shown = [...SECTIONS.flatMap(({ views }) => views), ...ENDURED].map(({ source }) => source);
  t.same([...new Set(shown)].sort(), Object.keys(SOURCES).sort());
  for (const [source, one] of figures) {
    const older = { ...one, date: '2020-02-29T12:00Z', commit: 'abcdef01' };
    const note = `2020-02-29, chunksmith ${one.version} (abcdef01)`;
    t.ok(pageOf(new Map(figures).set(source, older)).includes(note), source);
  }
});

t.test('what is measured again is held against ratios and counts, not times', async (t) => {
  const printed = '2.00x (1.80 .. 2.20)';
  const verdicts = ['2.20x (2.10 .. 2.30)', '1.62x (1.5 .. 1.9)', '2.42x (2 .. 3)', 'none'].map((now) =>
    verdictOf(printed, now, false),
  );
  t.same(verdicts, ['yes', '-10 % off', '10 % off', 'no']);
  t.same(
    [verdictOf('7', '7', true), verdictOf('7', '8', true), verdictOf('7', '8', false)],
    ['yes', 'no', undefined],
  );
});

t.test('its commands exist', async (t) => {
  const commands = [...page.matchAll(/npm run (bench|eval|test:soak) --? ?(\w*)/g)];
  t.ok(commands.length > 10, `${commands.length} commands`);
  const modes = globSync('test/{soak,plugins/*/*/soak}/*.ts', { cwd: ROOT }).map((file) =>
    basename(file, '.ts'),
  );
  const subjects = read('test/eval/main.ts');
  for (const [command, script, name = ''] of commands) {
    if (script === 'bench')
      t.ok(name === 'report' || existsSync(join(ROOT, 'test/bench', name, 'main.ts')), command);
    else if (script === 'eval') t.ok(name === '' || subjects.includes(`subject === '${name}'`), command);
    else if (name !== 'fuzz' || isHere('tokenizer/tiktoken')) t.ok(modes.includes(name), command);
  }
});

t.test('each peer has its version', async (t) => {
  let peers = 0;
  for (const row of rows) {
    for (const { 0: name, index } of row.matchAll(PEERS)) {
      peers++;
      t.match(row.slice(index + name.length), /^ \d+\.\d+/, row);
    }
  }
  t.ok(peers > 20, `${peers} peers`);
});

t.test('pages quote its figures alone', async (t) => {
  for (const path of QUOTING) {
    const prose = read(path).replaceAll(/^\s*```[\s\S]*?^\s*```/gm, '');
    for (const [quoted, number = ''] of prose.matchAll(FIGURE))
      t.ok(page.includes(number), `${path}: ${quoted}`);
  }
  t.same(
    [...'3.2x, 40 MB/s, twice, 7 times as fast'.matchAll(FIGURE)].map(([, number]) => number),
    ['3.2', '40', '7'],
  );
});
