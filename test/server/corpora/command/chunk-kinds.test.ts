import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { deckOf, paragraph, shapeOf, workbookOf } from '../../../plugins/toolkit/office/office-files.ts';
import { needs } from '../../../support/here.ts';
import { outputOf, runJob, startJobServer } from '../../../support/jobs.ts';
import { linesIn } from '../../cli/cli.ts';
import { runHere } from '../../cli/command.ts';

/** A folder with all kinds of files is chunked in one go, on the command line and by a job. */

const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const fixture = (path: string) => readFile(join(FIXTURES, path));
const notebook = {
  cells: [
    { cell_type: 'markdown', source: '# Tea' },
    { cell_type: 'code', source: 'boil()', outputs: [] },
  ],
};
const FILES = {
  'kinds/a.md': '# Tea\n\nBoil water.\n',
  'kinds/b.py': 'def boil():\n    return 1\n',
  'kinds/c.ipynb': JSON.stringify(notebook),
  'kinds/d.vtt': 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Tea.\n',
  'kinds/e.html': '<html><head><style>p {}</style></head><body><h1>Tea</h1><p>Boil water.</body></html>',
  'kinds/f.pdf': await fixture('pdf/odt.pdf'),
  'kinds/g.docx': await fixture('docx/tables.docx'),
  'kinds/h.pptx': deckOf([{ shapes: shapeOf({ text: [paragraph('Tea')], box: [0, 0, 914_400, 914_400] }) }]),
  'kinds/i.xlsx': workbookOf([{ name: 'Costs', rows: '<row r="1"><c r="A1"><v>7</v></c></row>' }]),
  'kinds/j.pdf': '%PDF-1.7 but torn \0',
  'kinds/k.pdf': await fixture('pdf/password.pdf'),
  'kinds/l.ppt': 'PK\x03\x04\0',
  'kinds/m.bin': '\0\x01\x02',
};
const EACH = ['auto', 'html', 'pdf', 'docx', 'pptx', 'xlsx', 'notebook', 'subtitles'];
const OF_ALL = needs(
  'chunker/auto',
  'chunker/code',
  'chunker/recursive',
  'chunker/markdown',
  'chunker/html',
  ...EACH.slice(1).map((name) => `reader/${name}` as const),
);

interface Line {
  readonly document_id: string;
  readonly text: string;
  readonly chunker: string;
  readonly places: readonly Readonly<Record<string, unknown>>[] | null;
}

/** What the first chunk of a file has: the chunker that `auto` chose, its first place, and a part of its text. */
const EXPECTED: Readonly<Record<string, object>> = {
  'a.md': { chunker: 'markdown', places: null },
  'b.py': { chunker: 'code', places: null },
  'c.ipynb': { chunker: 'markdown', places: [{ cell: 1 }, { cell: 2 }] },
  'd.vtt': { chunker: 'recursive', places: [{ start_time: 1, end_time: 2, speaker: 'Ann' }] },
  'e.html': { chunker: 'markdown', text: '# Tea\n\nBoil water.', places: null },
  'f.pdf': { chunker: 'markdown', text: /^# Title\n/, places: [{ page: 1, box: [Number] }] },
  'g.docx': { chunker: 'markdown', text: /\|/, places: null },
  'h.pptx': { chunker: 'markdown', text: /Tea/, places: [{ page: 1, box: [0, 0, Number, Number] }] },
  'i.xlsx': {
    chunker: 'markdown',
    text: /## Costs/,
    places: [{ sheet: 'Costs' }, { sheet: 'Costs', cells: 'A1' }],
  },
};

function firstOf(lines: readonly Line[]): Record<string, Line> {
  const firsts: Record<string, Line> = {};
  for (const line of lines) firsts[line.document_id.replace(/.*\//, '')] ??= line;
  return firsts;
}

const server = await startJobServer(t);
await mkdir(join(server.root, 'kinds'));
for (const [name, content] of Object.entries(FILES)) await writeFile(join(server.root, name), content);

t.test('by the command', OF_ALL, async (t) => {
  const flags = [
    '--chunker',
    'auto',
    '--chunk-size',
    '2000',
    '--include',
    'document_id',
    '--include',
    'places',
  ];
  const run = await runHere(
    t,
    ['chunk', 'kinds', ...flags, '--errors', 'errors.jsonl', '--progress', 'json'],
    {
      cwd: server.root,
    },
  );
  t.match(firstOf(run.lines<Line>()), EXPECTED);
  t.match(run.summary(), { documents: 11, failed: 2, skipped: 2 });
  const errors = linesIn<Record<string, string>>(await readFile(join(server.root, 'errors.jsonl'), 'utf8'));
  const reasons = errors.map((line) => JSON.stringify(line)).join('\n');
  t.match(reasons, /j\.pdf.*not a PDF, or broken/);
  t.match(reasons, /k\.pdf.*it has a password; save it without/);
  t.match(reasons, /l\.ppt.*DOCLING_URL.*TIKA_URL/);
  t.match(reasons, /m\.bin.*text/);
});

t.test('by a job', OF_ALL, async (t) => {
  const steps = [{ type: 'chunk', chunker: 'auto', config: { chunk_size: 2000 } }];
  const include = ['document_id', 'places'];
  const job = await runJob(server, { source: { path: 'kinds' }, steps, include });
  t.match(job, { state: 'done', documents: { done: 9, failed: 2, skipped: 2 } });
  t.match(firstOf((await outputOf(server, job.id)) as unknown as Line[]), EXPECTED);
});

t.test('the chunker of web pages gets their source', OF_ALL, async (t) => {
  const run = await runHere(t, ['chunk', 'kinds/e.html', '--chunker', 'html'], { cwd: server.root });
  t.equal(
    run
      .lines<Line>()
      .map(({ text }) => text)
      .join(''),
    FILES['kinds/e.html'],
  );
});
