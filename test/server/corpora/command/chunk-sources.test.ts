import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t from 'tap';
import { needs } from '../../../support/here.ts';
import { temporaryFolder } from '../../../support/server.ts';
import { BY_CHARACTERS, lineOf, linesIn } from '../../cli/cli.ts';
import { type CommandOptions, runHere } from '../../cli/command.ts';

const CHUNKER = BY_CHARACTERS(100);

interface Document {
  readonly document_id: string;
  readonly chunks: readonly { readonly text: string; readonly metadata: unknown }[];
}

/** The texts of documents by their ids. */
async function textsOf(args: readonly string[], options: CommandOptions & { readonly input?: string }) {
  const run = await runHere(t, ['chunk', ...args, ...CHUNKER, '--group', 'document'], options);
  const documents = run.lines<Document>();
  const textOf = ({ chunks }: Document) => chunks.map(({ text }) => text).join('');
  const texts = documents.map((one) => [one.document_id, textOf(one)]);
  return { ...run, documents, ids: texts.map(([id]) => id), texts: Object.fromEntries(texts) };
}

const NAMES = ['na me.txt', '😀.txt', '漢字.txt', 'new\nline.txt', 'quo\'te".txt'];

t.test('files of a folder', async (t) => {
  const cwd = await temporaryFolder(t, {
    ...Object.fromEntries(NAMES.map((name) => [`names/${name}`, name])),
    '.gitignore': '*.log\nbuild/\n',
    'a.txt': 'a',
    'app.log': 'ignored',
    'build/out.txt': 'ignored',
    'empty.txt': '',
    'chunksmith-jobs/1/part-000000.jsonl': '{"text":"written by a server"}',
    'sub/.gitignore': '!kept.log\n',
    'sub/kept.log': 'kept',
  });
  await writeFile(join(cwd, 'binary.dat'), Buffer.from([0, 1, 2, 255]));
  await writeFile(join(cwd, 'b.txt.gz'), gzipSync('gzipped'));
  await writeFile(join(cwd, 'c.txt.zst'), zstdCompressSync('zstandard'));
  await symlink('/etc', join(cwd, 'link'));

  await t.test('are documents in the order of their names, whatever these are', async (t) => {
    const { status, stderr, ids, texts } = await textsOf(['.'], { cwd });
    t.equal(status, 0, stderr);
    const names = NAMES.map((name) => `names/${name}`);
    const all = ['a.txt', 'b.txt.gz', 'c.txt.zst', 'empty.txt', 'sub/kept.log', ...names];
    const inOrder = all.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    t.same(ids, inOrder);
    t.match(texts, { 'a.txt': 'a', 'b.txt.gz': 'gzipped', 'c.txt.zst': 'zstandard', 'empty.txt': '' });
    for (const name of NAMES) t.equal(texts[`names/${name}`], name);
    const skipped =
      '5 skipped: 2 are excluded by .gitignore (app.log, build/), 1 is the output of jobs (chunksmith-jobs/), 1 leads outside (link), 1 is binary (binary.dat); 1 is empty (empty.txt)';
    t.match(stderr, /^10 documents, 5 skipped, 9 chunks, /m);
    t.equal(stderr.trim().split('\n').at(-1), skipped);
  });

  await t.test('can be named one by one, by globs, and from another folder', async (t) => {
    t.same((await textsOf(['app.log', 'a.txt'], { cwd })).ids, ['a.txt', 'app.log'], 'what is named counts');
    t.same((await textsOf(['**/*.log'], { cwd })).ids, ['sub/kept.log']);
    t.match(await textsOf(['**/*.md'], { cwd }), { status: 2, stderr: /no file matches/ });
    const ignored = /^build: .gitignore excludes all files; --no-ignore/;
    t.match(await textsOf(['build'], { cwd }), { status: 2, ids: [], stderr: ignored });
    t.same((await textsOf(['build', '--no-ignore'], { cwd })).ids, ['build/out.txt']);
    const inside = join(cwd, 'names');
    const beside = await textsOf(['../sub'], { cwd: inside });
    t.same(beside.ids, ['sub/kept.log'], 'ids begin where all paths are');
    t.same((await textsOf(['../a.txt', '--root', '/'], { cwd: inside })).ids, [join(cwd, 'a.txt').slice(1)]);
    await mkdir(join(cwd, 'nothing'));
    t.match(await textsOf(['nothing'], { cwd }), { status: 1, ids: [], stderr: /^Nothing was read: /m });
  });

  await t.test('are not what the run itself writes', async (t) => {
    const args = ['chunk', '.', ...CHUNKER, '--errors', 'e.txt', '--out', 'out'];
    t.equal((await runHere(t, args, { cwd })).status, 0);
    const again = await runHere(t, [...args, '--resume'], { cwd });
    t.equal(again.status, 0, again.stderr);
    await rm(join(cwd, 'out'), { recursive: true });
  });
});

t.test('documents without text are told by their ids, or where they stand', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.jsonl': '{"text":""}\n{"id":"x","text":""}\n{"text":"one"}\n' });
  const { stderr } = await runHere(t, ['chunk', 'a.jsonl'], { cwd });
  t.match(stderr, '2 are empty (a.jsonl byte 0, x)');
});

t.test('what is skipped is named; nothing read is an error', needs('reader/tika'), async (t) => {
  const cwd = await temporaryFolder(t, {
    'a.doc': 'Word\0',
    'b.ppt': '{\0',
    '.c.md': 'c',
    'd.log': '',
    '.gitignore': '*.log',
  });
  const [doc, all] = ['1 needs (DOCLING_URL or )?TIKA_URL \\(a.doc\\)', ['chunk', '.', ...CHUNKER]];
  for (const out of [[], ['--out', 'out']]) {
    const flags = [...out, '--errors', 'errors.jsonl'];
    const nothing = await runHere(t, ['chunk', 'a.doc', ...CHUNKER, ...flags], { cwd });
    t.match(nothing, {
      status: 1,
      stdout: '',
      stderr: new RegExp(`^Nothing was read: 1 skipped: ${doc}\\.$`, 'm'),
    });
    await rm(join(cwd, 'out'), { recursive: true, force: true });
    await writeFile(join(cwd, 'e.txt'), 'e');
    const { status, summary } = await runHere(t, [...all, ...flags, '--progress', 'json'], { cwd });
    t.match(
      { status, ...summary() },
      { status: 0, skipped: 4, skipped_reasons: { no_reader: 2, ignored: 2 } },
    );
    const lines = linesIn<{ source: string; detail: string }>(
      await readFile(join(cwd, 'errors.jsonl'), 'utf8'),
    );
    t.same(lines.map(({ source }) => source).sort(), ['.c.md', 'a.doc', 'b.ppt', 'd.log']);
    t.match(
      lines.map(({ detail }) => detail).join(),
      /begins with a dot.*\*\.log in \.gitignore.*--no-ignore/s,
    );
  }
});

t.test('lines and rows are documents, with fields that can be named', async (t) => {
  const rows = [
    { nr: 1, body: 'first', head: 'One', topic: 'x' },
    { nr: 2, body: 'second, "quoted"\nin two lines', head: 'Two', topic: 'y' },
  ];
  const jsonl = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const csv = `nr,body,head,topic\n1,first,One,x\n2,"second, ""quoted""\nin two lines",Two,y\n`;
  const column = (name: 'nr' | 'body' | 'head' | 'topic') => ({
    name,
    data: rows.map((row) => row[name]),
    type: name === 'nr' ? ('INT32' as const) : ('STRING' as const),
  });
  const columnData = [column('nr'), column('body'), column('head'), column('topic')];
  const cwd = await temporaryFolder(t, { 'a.jsonl': jsonl, 'a.csv': csv, 'lines.txt': jsonl });
  await writeFile(join(cwd, 'a.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
  await writeFile(join(cwd, 'a.jsonl.gz'), gzipSync(jsonl));
  const fields = ['--id-field', 'nr', '--text-field', 'body', '--metadata-field', 'topic'];
  const sources = ['a.jsonl', 'a.parquet', 'a.jsonl.gz', 'a.csv --format csv', 'lines.txt --format jsonl'];
  for (const source of [...sources, '-', '- --format csv']) {
    const input = source.includes('csv') ? csv : jsonl;
    const args = [...source.split(' '), ...fields];
    const { status, stderr, texts, documents } = await textsOf(args, { cwd, input });
    t.equal(status, 0, stderr);
    t.same(texts, { 1: rows[0]?.body, 2: rows[1]?.body }, source);
    t.same(documents[1]?.chunks[0]?.metadata, { topic: 'y' });
  }
});

t.test('standard input is JSON Lines, or a document', async (t) => {
  const cwd = await temporaryFolder(t);
  const lines = await textsOf(['-'], { cwd, input: '{"id":"a","text":"x"}\n\n{"id":"b","text":"y"}' });
  t.same(lines.texts, { a: 'x', b: 'y' });
  const one = await textsOf(['-', '--format', 'files'], { cwd, input: 'a text\nof two lines' });
  t.same(one.texts, { '-': 'a text\nof two lines' });
  t.match(one.stderr, /^1 document, 1 chunk, /m);
  t.match(await textsOf(['-'], { cwd, input: '' }), { status: 0, ids: [] });
});

t.test('a file of lines or rows that is damaged fails alone, and its documents are not gone', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.jsonl': lineOf('a'), 'c.parquet': 'none', 'd.txt': 'd' });
  await writeFile(join(cwd, 'b.jsonl.gz'), gzipSync(lineOf('b')).subarray(0, 20));
  for (const out of [[], ['--out', 'out']]) {
    const args = ['chunk', '.', ...CHUNKER, ...out, '--errors', 'e.jsonl', '--progress', 'json'];
    const run = await runHere(t, args, { cwd });
    t.match(run.summary(), { status: 3, documents: 4, failed: 2, chunks: 2 }, run.stderr);
    const errors = linesIn<object>(await readFile(join(cwd, 'e.jsonl'), 'utf8'));
    t.match(errors, [
      { source: 'b.jsonl.gz', id: undefined, detail: /it is damaged.*unexpected end of file/ },
      { source: 'c.parquet', id: undefined, detail: /it is not Parquet/ },
    ]);
    await rm(join(cwd, 'e.jsonl'));
  }
});

t.test('documents of files and of lines come in the order of the files', async (t) => {
  const line = '{"id":"line","text":"x"}';
  const cwd = await temporaryFolder(t, { 'a.txt': 'a', 'b.jsonl': line, 'c.txt': 'c', 'd.txt': 'd' });
  t.same((await textsOf(['.'], { cwd })).ids, ['a.txt', 'line', 'c.txt', 'd.txt']);
});
