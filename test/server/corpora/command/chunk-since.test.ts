import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { createRandom } from '../../../support/random.ts';
import { temporaryFolder } from '../../../support/server.ts';
import { BY_CHARACTERS, type CliResult, gatedFolder, linesIn } from '../../cli/cli.ts';
import { checkFailures, runHere } from '../../cli/command.ts';

const ROUNDS = 2;
const SEED = 7;

interface Change {
  readonly id?: string;
  readonly deleted?: string;
}

/** What is left of ids after changes; a chunk may not be added twice, and one that is not there not be deleted. */
function applied(t: Test, ids: ReadonlySet<string>, changes: readonly Change[]): Set<string> {
  const left = new Set(ids);
  for (const { deleted } of changes) if (deleted !== undefined) t.ok(left.delete(deleted), 'it was there');
  for (const { id } of changes) {
    if (id === undefined) continue;
    t.notOk(left.has(id), 'it is new');
    left.add(id);
  }
  return left;
}

const idsOf = (result: CliResult): Set<string> => new Set(result.lines().map(({ id }) => id));

async function changesIn(folder: string): Promise<Change[]> {
  const names = (await readdir(folder)).filter((name) => /^(part|deleted).*\.jsonl$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => linesIn<Change>(text));
}

/** Adds, changes, deletes and renames files. */
async function edit(root: string, random: () => number): Promise<void> {
  const pick = (most: number) => Math.floor(random() * most);
  const text = () => Array.from({ length: pick(12) }, () => `sentence ${pick(30)} of a text. `).join('');
  const path = (name: string) => join(root, name);
  for (let count = 1 + pick(6); count > 0; count--) {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const names = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
    const [old, fresh] = [names[pick(names.length)], path(`${pick(3)}/f${pick(9)}.txt`)];
    await mkdir(dirname(fresh), { recursive: true });
    const kind = pick(4);
    if (kind === 0 || old === undefined) await writeFile(fresh, text());
    else if (kind === 1)
      await writeFile(old, (await readFile(old, 'utf8')).replace(/sentence \d+/, 'another'));
    else if (kind === 2) await rm(old);
    else await rename(old, fresh);
  }
}

t.test('changes since an earlier run make its chunks those of a new one', async (t) => {
  const random = createRandom(SEED);
  const cwd = await temporaryFolder(t, { 'docs/0/first.txt': 'sentence 1 of a text. '.repeat(5) });
  const chunk = (...args: string[]) =>
    runHere(t, ['chunk', 'docs', ...BY_CHARACTERS(22), '--progress', 'json', ...args], { cwd });
  for (let count = 0; count < 5; count++) await edit(join(cwd, 'docs'), random);
  let ids = idsOf(await chunk('--manifest', 'ids-0.jsonl'));
  await chunk('--out', 'out-0');
  for (let round = 1; round <= ROUNDS; round++) {
    await edit(join(cwd, 'docs'), random);
    const [fresh, changes, folder] = await Promise.all([
      chunk(),
      chunk('--since', `ids-${round - 1}.jsonl`, '--manifest', `ids-${round}.jsonl`),
      chunk('--since', `out-${round - 1}`, '--out', `out-${round}`),
    ]);
    t.equal(changes.status, 0, changes.stderr);
    t.equal(folder.status, 0, folder.stderr);
    const now = applied(t, ids, changes.lines<Change>());
    t.same([...now].sort(), [...idsOf(fresh)].sort(), `seed ${SEED}, round ${round}`);
    t.same([...applied(t, ids, await changesIn(join(cwd, `out-${round}`)))].sort(), [...now].sort());
    t.same(folder.summary().changes, changes.summary().changes);
    const { added, unchanged } = changes.summary().changes as { added: number; unchanged: number };
    t.equal(added + unchanged, now.size);
    ids = now;
  }
  const none = await chunk('--since', `ids-${ROUNDS}.jsonl`);
  t.equal(none.stdout, '', 'nothing has changed');
});

t.test('documents that fail keep what they had', async (t) => {
  const { cwd, options } = await gatedFolder(t);
  let number = 0;
  /** Chunks lines since the run before, to standard output and into a folder. */
  const next = async (...lines: string[]) => {
    await writeFile(join(cwd, 'in.jsonl'), lines.join('\n'));
    const since = (path: string) => (number === 0 ? [] : ['--since', path]);
    const args = ['chunk', 'in.jsonl', '--chunker', 'gated'];
    const out = `out-${number + 1}`;
    const folder = await runHere(t, [...args, ...since(`out-${number}`), '--out', out], options);
    const manifest = ['--manifest', `${number + 1}.ids`];
    const changes = await runHere(t, [...args, ...since(`${number}.ids`), ...manifest], options);
    number++;
    const sorted = (some: readonly Change[]) => some.map((one) => JSON.stringify(one)).sort();
    t.same(sorted(await changesIn(join(cwd, out))), sorted(changes.lines<Change>()));
    t.equal(folder.status, changes.status, folder.stderr);
    return { stderr: changes.stderr, lines: changes.lines<Change & { readonly text?: string }>() };
  };
  const line = (id: string, text: string) => JSON.stringify({ id, text });
  const { lines: first } = await next(line('a', 'old a'), line('b', 'old b'), line('c', 'old c'));
  const gone = first.map(({ id }) => id);

  const failed = await next(line('a', 'fail'), line('b', 'new b'), line('c', 'old c'));
  t.match(failed.lines, [{ text: 'new b' }, { deleted: gone[1] }]);
  const repaired = await next(line('a', 'new a'), line('b', 'new b'), line('c', 'old c'));
  const known = [{ text: 'new a' }, { deleted: gone[0] }];
  t.match(repaired.lines, known, 'what it had is known after the failure');
  const broken = await next(line('a', 'new a'), line('b', 'new b'), '{"id":"c","text":"old');
  t.same(broken.lines, [], 'the line that is no JSON may be any document');
  t.match(broken.stderr, /^a document without an id failed: /m);
  const less = await next(line('a', 'new a'));
  t.same(less.lines.map(({ deleted }) => deleted).sort(), [first[2]?.id, failed.lines[0]?.id].sort());
});

t.test('a file that cannot be read any more keeps what it had; one that is ignored is gone', async (t) => {
  const cwd = await temporaryFolder(t, { 'kb/a.txt': 'one', 'kb/b.txt': 'two' });
  const run = async (...args: string[]) =>
    (await runHere(t, ['chunk', 'kb', ...BY_CHARACTERS(100), ...args], { cwd })).lines<Change>();
  const first = await run('--manifest', '1.ids');
  await run('--out', '1');
  await writeFile(join(cwd, 'kb/b.txt'), '\0\u0001\0');
  t.same(await run('--since', '1.ids', '--manifest', '2.ids'), []);
  await run('--since', '1', '--out', '2');
  t.same(await changesIn(join(cwd, '2')), []);
  await writeFile(join(cwd, 'kb/b.txt'), 'two');
  t.same(await run('--since', '2.ids'), [], 'what it had is known');
  await run('--since', '2', '--out', '3');
  t.same(await changesIn(join(cwd, '3')), []);
  await writeFile(join(cwd, 'kb/.gitignore'), 'b.txt');
  t.match(await run('--since', '2.ids'), [{ deleted: first[1]?.id }]);
});

t.test('documents and chunks without ids cannot be compared', async (t) => {
  const cwd = await temporaryFolder(t, { 'in.jsonl': '{"text":"x"}', 'a.txt': 'a' });
  const chunk = (...args: string[]) => runHere(t, ['chunk', ...args, ...BY_CHARACTERS(9)], { cwd });
  t.equal((await chunk('in.jsonl', '--manifest', 'ids')).status, 0);
  await writeFile(join(cwd, 'other.txt'), 'no manifest');
  await checkFailures(t, chunk, [
    ['in.jsonl --since ids', /byte 0 has no id; name .*--id-field/, 1],
    ['a.txt --manifest few --include index', /--include: the chunks have no ids/, 1],
    ['a.txt --since other.txt', /not written by an earlier run/],
  ]);
  const left = (await readdir(cwd)).sort();
  t.same(left, ['a.txt', 'ids', 'in.jsonl', 'other.txt'], 'what failed left no manifest');
});
