import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../../../support/here.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { runHere } from '../../../cli/command.ts';

/** pyarrow and DuckDB read what `chunk --out-format parquet` writes as equal to its lines. `PYTHON` names another interpreter. */

const PYTHON = process.env.PYTHON ?? 'python3';
const skip = (name: string) =>
  spawnSync(PYTHON, ['-c', `import ${name}`]).status === 0 ? false : `${name} is not installed for ${PYTHON}`;

/** Prints a line for each row of the files; the types of the columns first. */
const READERS = {
  pyarrow: `
import glob, pyarrow.dataset as ds
table = ds.dataset(glob.glob(sys.argv[1] + "/*.parquet"), format="parquet").to_table()
print(json.dumps([str(field.type) for field in table.schema]))
rows = table.to_pylist()`,
  duckdb: `
import duckdb
found = duckdb.sql(f"select * from read_parquet('{sys.argv[1]}/*.parquet') order by id")
names = found.columns
print(json.dumps([str(type) for type in found.types]))
rows = [dict(zip(names, row)) for row in found.fetchall()]`,
};
const TYPES = {
  pyarrow: [
    ...Array(3).fill('string'),
    ...Array(3).fill('int32'),
    'string',
    'list<element: float not null>',
    'string',
  ],
  duckdb: [...Array(3).fill('VARCHAR'), ...Array(3).fill('INTEGER'), 'VARCHAR', 'FLOAT[]', 'VARCHAR'],
};
const STEPS = [
  { type: 'chunk', chunker: 'token', config: { tokenizer: 'character', chunk_size: 5 } },
  { type: 'refine', refinery: 'embeddings', config: { embedding_model: 'chunksmith/static-en-256' } },
];
const OF_VECTORS = needs('refinery/embeddings', 'embedding/static').skip;
const INCLUDE = '--include id --include document_id --include metadata --include lines';
const PRINT = '\nfor row in rows: print(json.dumps(row))';

for (const name of ['pyarrow', 'duckdb'] as const) {
  t.test(`${name} reads every chunk as it was made`, { skip: OF_VECTORS || skip(name) }, async (t) => {
    const cwd = await temporaryFolder(t, {});
    const documents = ['one two three', '👩‍👩‍👧‍👦 中文', 'a\\r\\nb\\t"\\\\', ''].map((text, id) => ({
      id,
      text,
      tag: 'é',
    }));
    await writeFile(join(cwd, 'in.jsonl'), documents.map((one) => `${JSON.stringify(one)}\n`).join(''));
    await writeFile(join(cwd, 'p.json'), JSON.stringify({ steps: STEPS }));
    const args = `chunk in.jsonl --pipeline p.json --metadata-field tag ${INCLUDE}`.split(' ');
    const lines = (await runHere(t, args, { cwd })).lines<{
      readonly id: string;
      readonly embedding?: number[];
    }>();
    t.match(await runHere(t, [...args, '--out', 'out', '--out-format', 'parquet'], { cwd }), { status: 0 });
    const script = `import json, sys${READERS[name]}${PRINT}`;
    const printed = execFileSync(PYTHON, ['-c', script, join(cwd, 'out')], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const [types, ...rows] = printed.map((line) => JSON.parse(line));
    t.same(types, TYPES[name]);
    const byId = (a: { id?: unknown }, b: { id?: unknown }) => (String(a.id) < String(b.id) ? -1 : 1);
    const whole = rows.map(({ fields, metadata, ...row }) => ({
      ...row,
      metadata: JSON.parse(metadata),
      ...JSON.parse(fields),
    }));
    const made = lines.map((line) => ({ ...line, embedding: line.embedding?.map(Math.fround) }));
    t.same(whole.toSorted(byId), made.toSorted(byId));
  });
}
