import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t, { type Test } from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../../support/plugins.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { BY_CHARACTERS } from '../../../cli/cli.ts';
import { runCli } from '../../../cli/processes/cli-process.ts';

/** The same output with any number of threads, whatever the source, and what a lost thread leaves. */

const LINES = Array.from({ length: 3000 }, (_, index) => {
  if (index % 500 === 250) return '{"id": "torn", "text"';
  if (index % 500 === 300) return JSON.stringify({ id: `e${index}`, text: '' });
  return JSON.stringify({ id: `d${index}`, text: `Document ${index}. ${'Some words. '.repeat(index % 60)}` });
});
const JSON_LINES = `${LINES.join('\n')}\n`;
const CSV = `id,text\n${LINES.map((_, index) => (index === 900 ? 'x,y,z' : `c${index},"Row ${index}, ""quoted""."`)).join('\n')}\n`;

function parquet(): Buffer {
  const rows = Array.from({ length: 3000 }, (_, index) => `Row ${index}. ${'Words. '.repeat(index % 40)}`);
  const columnData = [
    { name: 'id', data: rows.map((_, index) => `p${index}`) },
    { name: 'text', data: rows.map((text, index) => (index === 700 ? null : text)) },
  ];
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: [1000, 1000, 1000] }));
}

/** More files than are looked at before the work begins. */
const FILES = Object.fromEntries(
  Array.from({ length: 1300 }, (_, index) => [
    `many/${index % 9}/${index}.txt`,
    index % 100 === 50
      ? '\0binary'
      : index % 100 === 60
        ? ''
        : `File ${index}. ${'Words. '.repeat(index % 20)}`,
  ]),
);
const SOURCE = {
  ...FILES,
  'a.jsonl': JSON_LINES,
  'b.csv': CSV,
  'c.parquet': parquet(),
  'd.jsonl.gz': gzipSync(JSON_LINES),
  'many/.gitignore': '*.log\n',
  'many/x.log': 'ignored',
};

/** Everything that a run writes, but times and the folder of its state. */
async function outputsOf(t: Test, cwd: string, workers: string, ...flags: string[]) {
  const args = ['chunk', '.', ...BY_CHARACTERS(40), '--workers', workers, '--progress', 'none', ...flags];
  const { status, stdout, stderr } = await runCli(t, args, { cwd });
  const [manifest, errors] = await Promise.all(
    ['manifest', 'errors'].map((name) => readFile(join(cwd, `../${name}`), 'utf8').catch(() => '')),
  );
  return { status, stdout, stderr, manifest, errors };
}

const base = await temporaryFolder(
  t,
  Object.fromEntries(Object.entries(SOURCE).map(([name, content]) => [`in/${name}`, content])),
);
const cwd = join(base, 'in');

t.test('the number of threads changes nothing in the output', async (t) => {
  const flags = ['--manifest', '../manifest', '--errors', '../errors'];
  const expected = await outputsOf(t, cwd, '0', ...flags);
  t.match(expected, { status: 3, stderr: '' });
  t.ok(expected.stdout.length > 1e6);
  for (const workers of ['3']) {
    const found = await outputsOf(t, cwd, workers, ...flags);
    for (const [name, content] of Object.entries(found))
      t.ok(content === expected[name as keyof typeof expected], `${workers} workers: ${name}`);
  }
});

t.test('nor in part files', async (t) => {
  const [alone, together] = await Promise.all(['0', '2'].map((workers) => partsOf(t, workers)));
  t.ok(Object.keys(alone ?? {}).length > 10);
  t.ok(JSON.stringify(alone) === JSON.stringify(together));
});

async function partsOf(t: Test, workers: string): Promise<Record<string, string>> {
  const out = join(base, `out-${workers}`);
  await outputsOf(t, cwd, workers, '--out', out);
  const names = (await readdir(out)).filter((name) => /^(part|errors|ids|manifest)/.test(name)).sort();
  const read = async (name: string) => [name, await readFile(join(out, name), 'utf8')] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}

t.test('a document that takes its thread with it fails alone, wherever the run writes', async (t) => {
  const ends = chunker('ends', `if (text.includes('END')) process.exit(7); ${WHOLE_TEXT}`);
  const plugins = await pluginsFolder(t, ends);
  const texts = Array.from({ length: 400 }, (_, index) => (index === 133 ? 'END' : `text ${index}`));
  const cwd = await temporaryFolder(t, {
    'in.jsonl': texts.map((text, index) => `${JSON.stringify({ id: `d${index}`, text })}\n`).join(''),
  });
  const env = { PLUGINS_DIR: plugins };
  const args = ['chunk', 'in.jsonl', '--chunker', 'ends', '--workers', '2', '--progress', 'none'];
  const { status, stdout, stderr } = await runCli(t, args, { cwd, env });
  t.equal(status, 3);
  t.match(stderr, /^in\.jsonl, byte \d+ \(d133\): .*worker/);
  t.equal(stdout.trimEnd().split('\n').length, 399);
  const out = await runCli(t, [...args, '--out', 'out'], { cwd, env });
  t.equal(out.status, 3);
  const errors = (await readFile(join(cwd, 'out/errors-000000.jsonl'), 'utf8')).trimEnd().split('\n');
  t.match(
    errors.map((line) => JSON.parse(line)),
    [{ id: 'd133', status: 500 }],
  );
});
