import t from 'tap';
import { TRIMMED } from '../support/here.ts';
import { importsOf } from '../tools/import-scanner.ts';
import { type Sources, TESTS, targetOf } from './sources.ts';

/** What keeps `npm test` short: see test/README.md. */

/** What starts processes; only tests that are run by `npm run test:all` alone, or once, may reach it. */
const STARTS_PROCESSES = /^(node:child_process|test\/support\/(browser|postgres|process)\.ts)$/;

/** Files that start a process in `npm test` all the same, and why. */
const MAY_START: Readonly<Record<string, string>> = {
  'test/server/corpora/jobs/callback.test.ts':
    'Python, whose check of a signature is shown, takes milliseconds',
  'test/server/corpora/local-folder.test.ts': 'mkfifo: Node itself cannot make a pipe in a folder',
  'test/server/corpora/select-files.test.ts': 'git, which knows what is ignored, takes milliseconds',
  'test/tools/trim.ts': 'git, before the command trims a checkout',
  'test/walls/lint.test.ts': 'Biome, whose rules are tested, takes half a second',
};

const isTest = (file: string) => file.endsWith('.test.ts');
const hasOwnProcess = (file: string) => /\/processes\/|^test\/once\//.test(file);

interface Arrow {
  /** A path from the root, or the name of a package. */
  readonly target: string;
  readonly isType: boolean;
}

/** What each file imports. */
type Graph = ReadonlyMap<string, readonly Arrow[]>;

function graphOf(tests: Sources): Graph {
  const arrowsOf = (file: string, source: string) =>
    importsOf(source).map((one) => ({
      target: targetOf(file, one) ?? one.specifier,
      isType: one.kind === 'type',
    }));
  return new Map([...tests].map(([file, source]) => [file, arrowsOf(file, source)]));
}

/** The files of tests in one process that start others, by themselves or by what helps them. */
function startersIn(graph: Graph): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { target, isType } of graph.get(file) ?? []) {
      if (isType) continue;
      if (STARTS_PROCESSES.test(target)) found.add(file);
      else visit(target);
    }
  };
  for (const file of graph.keys()) if (isTest(file) && !hasOwnProcess(file)) visit(file);
  return [...found].sort();
}

/** A look at the clock that is compared with a longest time. */
const JUDGED_BY_CLOCK = /\bnow\(\)[\w\s/.]* - [\w.]+ <|\b(ms|milliseconds|elapsed) <=? \d/;

/** The folders, such as `test/server/http`, that use a file of `test/support`, by way of others of it too. */
function foldersUsing(support: string, graph: Graph, seen = new Set([support])): Set<string> {
  const folders = new Set<string>();
  for (const [file, arrows] of graph) {
    if (seen.has(file) || !arrows.some(({ target }) => target === support)) continue;
    seen.add(file);
    if (file.startsWith('test/support/')) for (const one of foldersUsing(file, graph, seen)) folders.add(one);
    else folders.add(file.split('/').slice(0, -1).slice(0, 3).join('/'));
  }
  return folders;
}

const GRAPH = graphOf(TESTS);

t.test('tests of one process start no others, but for those that are listed', async (t) => {
  t.same(startersIn(GRAPH), Object.keys(MAY_START));
});

t.test('no test is passed by being quick enough', async (t) => {
  const judged = [...TESTS].filter(([file, source]) => isTest(file) && JUDGED_BY_CLOCK.test(source));
  const files = judged.map(([file]) => file);
  t.same(files, ['test/walls/tests.test.ts'], 'its own samples alone');
});

t.test('each test is in a folder whose tests share a process', async (t) => {
  const alone = [...TESTS.keys()].filter((file) => isTest(file) && file.split('/').length < 3);
  t.same(alone, []);
});

t.test(
  'test/support has what three folders use; what is for one of them is in it',
  { skip: TRIMMED },
  async (t) => {
    const shared = [...TESTS.keys()].filter((file) => file.startsWith('test/support/'));
    const found = shared.map((file) => [file, foldersUsing(file, GRAPH)] as const);
    const few = found.filter(([, { size }]) => size < 3).map(([file, folders]) => `${file}: ${[...folders]}`);
    t.same(few, []);
  },
);

t.test('the rules see their breaches', async (t) => {
  const starting = "import { spawn } from 'node:child_process';";
  const breaching = graphOf(
    new Map([
      ['test/a/b.test.ts', "import './c.ts';"],
      ['test/a/c.ts', starting],
      ['test/a/d.test.ts', "import { startProcess } from '../support/process.ts';"],
      ['test/a/processes/e.test.ts', starting],
      ['test/a/unused.ts', starting],
    ]),
  );
  t.same(startersIn(breaching), ['test/a/c.ts', 'test/a/d.test.ts']);
  t.match('t.ok(performance.now() - start < 500);', JUDGED_BY_CLOCK);
  const shared = graphOf(
    new Map([
      ['test/support/a.ts', "import './b.ts';"],
      ['test/support/b.ts', ''],
      ['test/server/http/a.test.ts', "import '../../support/a.ts';"],
      ['test/server/http/processes/b.test.ts', "import '../../../support/b.ts';"],
    ]),
  );
  t.same([...foldersUsing('test/support/b.ts', shared)], ['test/server/http']);
});
