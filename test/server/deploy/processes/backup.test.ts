import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startServer, temporaryFolder } from '../../../support/server.ts';

/** The commands of OPERATIONS.md that run in the container, without the container. */

const PAGE = await readFile(join(import.meta.dirname, '../../../../server/OPERATIONS.md'), 'utf8');
const [, backup = ''] = /exec chunksmith node -e "(.*)"\n/.exec(PAGE) ?? [];
const [, restore = ''] = /--entrypoint sh chunksmith -c '(.*)' < chunksmith\.bak\n/.exec(PAGE) ?? [];
const PATH = '/v1/pipelines';
const config = { plugins: ['token', 'character'] };

t.test(
  'a copy made while the server runs has all pipelines, and is restored over a damaged database',
  async (t) => {
    const cwd = await temporaryFolder(t, {});
    const dataDir = join(cwd, 'data');
    await mkdir(dataDir);
    const running = await startServer(t, { ...config, dataDir });
    const names = ['one', 'two', 'three'];
    for (const name of names) t.equal((await running.post(PATH, { name, steps: [] })).status, 201);
    execFileSync(process.execPath, ['-e', backup], { cwd });
    const copy = await readFile(join(dataDir, 'backup.db'));
    const other = await temporaryFolder(t, {});
    const restored = join(other, 'data');
    await mkdir(restored);
    for (const file of ['chunksmith.db', 'chunksmith.db-wal'])
      await writeFile(join(restored, file), 'damaged');
    execFileSync('sh', ['-c', restore], { cwd: other, input: copy });
    const again = await startServer(t, { ...config, dataDir: restored });
    const found = (await again.get(PATH)).json<{ name: string }[]>();
    t.same(found.map(({ name }) => name).sort(), names.toSorted());
    await rm(join(dataDir, 'backup.db'));
  },
);
