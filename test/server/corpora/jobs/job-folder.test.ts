import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { removeLate, takeFolder } from '../../../../server/corpora/jobs/job-folder.ts';
import { finishJob } from '../../../../server/corpora/jobs/job-output.ts';
import { PartFilesWriter } from '../../../../server/corpora/jobs/part-files.ts';
import { discardShard, removeWithOutput } from '../../../../server/corpora/jobs/remove-job.ts';
import { checkLocations } from '../../../../server/corpora/jobs/server-locations.ts';
import type { JobLocations, JobSpec, TargetLocation } from '../../../../server/corpora/jobs/spec.ts';
import { createLocalFolder } from '../../../../server/corpora/storage/local/folder.ts';
import {
  type Claim,
  type JobRecord,
  NO_DOCUMENTS,
  type ShardPage,
} from '../../../../server/store/jobs/contract.ts';
import { temporaryFolder } from '../../../support/server.ts';
import { failure } from '../../../support/stores.ts';

/** A job writes, replaces and deletes only what is its own. */

const JOB = '11111111-0000-4000-8000-000000000000';
const OTHER = '22222222-0000-4000-8000-000000000000';
/** What a finish commits. */

function claimOf(jobId: string, fields: Partial<Claim> = {}): Claim {
  return { jobId, seq: 0, kind: 'chunk', range: {}, attempt: 1, failures: 0, spec: {}, ...fields };
}

async function targetWith(
  t: Test,
  files: Record<string, string>,
): Promise<TargetLocation & { path: string }> {
  const root = await temporaryFolder(t, files);
  return { storage: createLocalFolder(root), folder: 'out', path: join(root, 'out') };
}

/** Writes a part of a job, as a worker does. */
async function writePart(target: TargetLocation, claim: Claim, text: string) {
  const writer = new PartFilesWriter(target, claim);
  await writer.write('part', Buffer.from(text));
  return { files: await writer.finish(), documents: 1, failed: 0, skipped: 0, chunks: 1 };
}

/** Finishes a job of one shard, as a worker does, and gives what it asks of the store. */
async function finish(target: TargetLocation, jobId: string, text: string) {
  const output = await writePart(target, claimOf(jobId), text);
  const page = { shards: [{ seq: 0, kind: 'chunk', state: 'done', output }], hasMore: false };
  const store = { shards: async () => page as unknown as ShardPage, remove: async () => {} };
  const locations = { target: async () => target } as unknown as JobLocations;
  await finishJob(claimOf(jobId, { kind: 'finish' }), new AbortController().signal, { store, locations });
  return store;
}

t.test('a folder with files that was not written by a job is refused, and left as it is', async (t) => {
  const parts = ['part-000000.jsonl', 'part-000009.jsonl', 'ids-000009.jsonl', 'errors-000001.jsonl'];
  for (const name of [...parts, 'manifest.json']) {
    const target = await targetWith(t, { [`out/${name}`]: 'theirs' });
    await t.rejects(takeFolder(target, claimOf(JOB)), { code: 'target_taken', message: new RegExp(name) });
    t.same(await readdir(target.path), [name]);
    t.equal(await readFile(join(target.path, name), 'utf8'), 'theirs');
  }
});

t.test('files of other names, and those of folders below it, do not keep a folder from jobs', async (t) => {
  const others = { 'out/notes.md': 'a', 'out/part-1.jsonl': 'b', 'out/old/part-000000.jsonl': 'c' };
  const target = await targetWith(t, others);
  await takeFolder(target, claimOf(JOB));
  await takeFolder(target, claimOf(JOB));
  const store = await finish(target, JOB, 'mine');
  await removeWithOutput({ id: JOB }, target, store);
  t.same((await readdir(target.path)).sort(), ['notes.md', 'old', 'part-1.jsonl']);
});

t.test('of two jobs that take a folder at the same moment exactly one gets it', async (t) => {
  for (let round = 0; round < 50; round++) {
    const target = await targetWith(t, {});
    const outcomes = await Promise.all([JOB, OTHER].map((id) => failure(takeFolder(target, claimOf(id)))));
    t.same(outcomes.sort(), ['nothing', 'target_taken'], `round ${round}`);
  }
});

t.test('files of two jobs in one folder have different names, and each removes its own', async (t) => {
  const target = await targetWith(t, {});
  await takeFolder(target, claimOf(JOB));
  await writePart(target, claimOf(OTHER), 'theirs');
  const store = await finish(target, JOB, 'mine');
  t.equal(await readFile(join(target.path, 'part-000000.jsonl'), 'utf8'), 'mine');
  const theirs = `part-000000.${OTHER.slice(0, 8)}.a1.jsonl`;
  t.equal(await readFile(join(target.path, theirs), 'utf8'), 'theirs');
  await writeFile(join(target.path, 'part-000007.jsonl'), 'of a tool');
  const before = await readdir(target.path);
  const none = { shards: async () => ({ shards: [], hasMore: false }), remove: async () => {} };
  await removeWithOutput({ id: OTHER }, target, none);
  const after = await readdir(target.path);
  t.same(after, before, 'a job that found its folder taken removes nothing of the other');
  await removeWithOutput({ id: JOB }, target, store);
  const left = [theirs, 'part-000007.jsonl'].sort();
  t.same((await readdir(target.path)).sort(), left, 'all of its own has gone');
});

t.test('what a late worker wrote of a job that was removed goes with its folder', async (t) => {
  const target = await targetWith(t, {});
  const left = () => readdir(join(target.path, '..'));
  const finishLate = async () => {
    await takeFolder(target, claimOf(JOB));
    await finish(target, JOB, 'late');
  };
  await writePart(target, claimOf(JOB, { attempt: 3 }), 'late');
  await removeLate(target, JOB);
  t.same(await left(), []);
  await finishLate();
  await removeLate(target, JOB);
  t.same(await left(), [], 'also what a late finish wrote');
  await finishLate();
  await rm(join(target.path, 'job.json'));
  await removeLate(target, JOB);
  t.ok((await readdir(target.path)).includes('part-000000.jsonl'), 'what may be of others stays');
  await removeLate(target, JOB, true);
  t.same(await left(), [], 'unless the finish was the one that wrote it');
});

t.test('the manifest of a finish that came after its job was cancelled is not left over', async (t) => {
  const left: Record<string, boolean> = {};
  for (const state of ['cancelled', 'failed', 'finishing', 'done']) {
    const target = await targetWith(t, {});
    await takeFolder(target, claimOf(JOB));
    const store = { ...(await finish(target, JOB, 'late')), get: async () => ({ state }) as JobRecord };
    const locations = { target: async () => target } as unknown as JobLocations;
    await rm(join(target.path, 'job.json'));
    await discardShard(claimOf(JOB, { kind: 'finish' }), NO_DOCUMENTS, { store, locations });
    left[state] = (await readdir(target.path)).includes('manifest.json');
  }
  t.same(left, { cancelled: false, failed: false, finishing: true, done: true });
});

t.test('a target that is the source, or holds it, is refused before the job is made', async (t) => {
  const storage = createLocalFolder(await temporaryFolder(t, { 'c1/part-000000.jsonl': '{"text":"a"}\n' }));
  const check = (path: string, folder: string) => {
    const locations: JobLocations = {
      source: async () => ({ storage, from: { path } }),
      target: async () => ({ storage, folder }),
    };
    return failure(
      checkLocations({ source: { path }, target: { path: folder } } as unknown as JobSpec, locations),
    );
  };
  for (const taken of ['c1:c1', 'c1/part-000000.jsonl:c1', 'c1:', ':']) {
    const [path = '', folder = ''] = taken.split(':');
    t.equal(await check(path, folder), 'target_taken', taken);
  }
  for (const folder of ['c2', 'c1/out', 'c']) t.equal(await check('c1', folder), 'nothing', folder);
});

t.test('files of buckets, which keep the names that they were written with, go with their job', async (t) => {
  const target = await targetWith(t, {});
  await takeFolder(target, claimOf(JOB));
  const earlier = 'out/part-000000.a1.jsonl';
  await writeFile(join(target.path, 'part-000000.a1.jsonl'), 'of a release whose names had no id');
  const output = { files: { part: { name: earlier, bytes: 1, sha256: '' } } };
  const page = { shards: [{ seq: 0, output }], hasMore: false } as unknown as ShardPage;
  await removeWithOutput({ id: JOB }, target, { shards: async () => page, remove: async () => {} });
  t.same(await readdir(join(target.path, '..')), []);
});
