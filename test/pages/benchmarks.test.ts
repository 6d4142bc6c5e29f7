import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { chartOf, SCHEMES } from '../bench/report/chart.ts';
import { readFigures } from '../bench/report/figures.ts';
import { pageOf } from '../bench/report/page.ts';
import { isHere } from '../support/here.ts';

/** BENCHMARKS.md is what its command wrote, and other pages quote no figures that it does not have. */

const ROOT = join(import.meta.dirname, '../..');
const QUOTING = ['README.md', 'server/OPERATIONS.md', 'server/CORPORA.md'];
const MOST_LINES = 250;
const SECTIONS = ['Exactness', 'Quality', 'Speed', 'Endurance'];
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
  t.ok(page.split('\n').length <= MOST_LINES, `${page.split('\n').length} lines`);
  const sections = page.split(/^## /m).slice(1);
  t.same(
    sections.map((text) => text.split('\n')[0]),
    SECTIONS,
  );
  for (const section of sections) {
    t.match(
      section,
      /`npm run bench -- report --only \w+`, \d{4}-\d\d-\d\d(?: and \d{4}-\d\d-\d\d)*, chunksmith \d+\.\d+\.\d+(?: and \d+\.\d+\.\d+)* \([\w ]+\), .* cores of .*Node/,
    );
    t.match(section, /^\| --- \|/m);
  }
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
