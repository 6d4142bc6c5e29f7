import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { printTable, printTitle } from '../../bench/race/report.ts';
import type { Cleanup } from '../../support/server.ts';
import { openService } from '../../support/service.ts';
import { type DataSet, dataSetsIn, ownDataSets } from './data-sets.ts';
import { codeRows, proseRows, reportsRows } from './presets.ts';
import { LIMITS, Measured, percent, type Row, TOKENS, unmeasured } from './rows.ts';
import { agreement, falseWinners, latency, tuneRows } from './trust.ts';

/**
 * Prints what retrieval is promised to be worth, each figure beside its goal.
 *
 * @param folder has a folder for each data set, with documents and `questions.jsonl` as for `chunksmith tune`: code,
 *   filings with `metadata` as lines of `documents.jsonl`, or prose. Without it there are small ones
 */
export async function evaluateRetrieval(folder: string | undefined): Promise<void> {
  const ends: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (end) => void ends.unshift(end) };
  try {
    const sets = folder === undefined ? await ownDataSets() : await dataSetsIn(folder);
    const measured = new Measured(t, await openService(t, LIMITS));
    const rows: string[][] = [];
    for await (const { figure, value, goal, isMet } of rowsOf(sets, measured)) {
      console.error(`${figure}: ${value}`);
      rows.push([figure, value, goal, isMet === undefined ? '-' : isMet ? 'yes' : 'no']);
    }
    printTitle(`Retrieval: ${sets.map(inWords).join('; ')}`);
    printTable('Percent, with 95 % intervals', ['figure', 'value', 'goal', 'met'], rows);
    for (const set of sets.filter(({ kind }) => kind !== 'scripts')) await printScores(set, measured);
  } finally {
    for (const end of ends) await end();
  }
}

/** Prints the scores of chunkers and of a preset about the same questions, with their intervals. */
async function printScores(set: DataSet, measured: Measured): Promise<void> {
  const chunkers = ['recursive', 'sentence', 'token', 'markdown', 'semantic'].map((chunker) => ({
    name: `${chunker}, ${SIZE} tokens`,
    chunker,
    config: { chunk_size: SIZE, ...(chunker !== 'semantic' && TOKENS) },
  }));
  const preset = set.kind === 'scripts' ? 'prose' : set.kind;
  const compared = [...chunkers, { name: `preset ${preset}`, preset }];
  const asked = compared.map(({ name: _, ...candidate }) => candidate);
  const { candidates } = await measured.evaluate(set, { candidates: asked, budget: BUDGET });
  const rows = candidates.map(({ recall, precision, iou, interval }, at) => [
    compared[at]?.name ?? '',
    ...Object.entries({ recall, precision, iou }).map(([name, value]) => {
      const [low, high] = interval[name as 'recall' | 'precision' | 'iou'].map(percent);
      return `${percent(value)} [${low}, ${high}]`;
    }),
  ]);
  const title = `${set.name}: ${set.questions.length} questions, the best chunks within ${BUDGET} tokens`;
  printTable(title, ['', 'recall', 'precision', 'IoU'], rows);
}

function inWords({ name, kind, documents, questions }: DataSet): string {
  return `${name} (${kind}, ${documents.length} documents, ${questions.length} questions)`;
}

/** Tokens of a chunk, and of what is found together. */
const [SIZE, BUDGET] = [256, 1000];

/** What tests show, those of PostgreSQL and Python in `npm run test:all`. */
const TESTED = [
  [
    'no function under the bound is cut, in samples of every language',
    'test/plugins/chunkers/code/members.test.ts',
  ],
  ['PostgreSQL, no stale term after updates and deletions', 'test/plugins/sinks/pgvector/text-search.ts'],
  ['ChunkBatches, a replica killed midway, three engines', 'test/server/clients/python/test_batches.py'],
] as const;

const PRESETS = { prose: proseRows, code: codeRows, reports: reportsRows } as const;
const KINDS = ['prose', 'code', 'reports'] as const;

async function* rowsOf(sets: readonly DataSet[], measured: Measured): AsyncGenerator<Row> {
  // The server is in this process: later, garbage of the other figures would be collected in its thread.
  for (const set of sets.filter(({ kind }) => kind === 'prose').slice(0, 1))
    yield await latency(set, measured);
  for (const set of sets) {
    yield* await agreement(set, measured);
    if (set.kind === 'scripts') continue;
    if (set.kind === 'prose') {
      yield* tuneRows(set, measured);
      yield await falseWinners(set, measured);
    }
    yield* PRESETS[set.kind](set, measured);
  }
  for (const missing of KINDS.filter((one) => !sets.some(({ kind }) => kind === one)))
    yield unmeasured(`preset ${missing}`, 'needs a folder with such a data set');
  yield* bm25Rows();
  for (const [figure, test] of TESTED) yield unmeasured(figure, `tested: ${test}`);
}

/** What the benchmark measures, in a process of its own. */
function bm25Rows(): Row[] {
  const bench = join(import.meta.dirname, '../../bench/retrieval/main.ts');
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', bench], { encoding: 'utf8' });
  const pattern = /ours .*\((\S+) s\) +(\S+) MB .*\((\S+) ms\)/;
  const [, built, held, p95] = pattern.exec(stdout) ?? [];
  const row = (what: string, value: string | undefined, unit: string, most: number): Row => ({
    figure: `BM25 over 100,000 chunks, ${what}`,
    value: value === undefined ? 'the benchmark failed' : `${value} ${unit}`,
    goal: `at most ${most} ${unit}`,
    isMet: Number(value) <= most,
  });
  return [
    row('built', built, 's of a processor', 5),
    row('held', held, 'MB', 100),
    row('95 % of questions', p95, 'ms of a processor', 8),
  ];
}
