import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { createKillWriter } from '../support/kill-writer.ts';
import { startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/server.ts';

/** How often the server is killed; `KILLS=200` for the whole proof. */
const KILLS = Number(process.env.KILLS ?? 25);
const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--workers', '0', '--plugins', 'token,character'];
const MOST_MS = 300;

t.setTimeout(30_000 + KILLS * 10_000);

t.test(`nothing that was answered is lost when the server is killed ${KILLS} times`, async (t) => {
  const folder = await temporaryFolder(t);
  const writers = ['a', 'b', 'c', 'd'].map(createKillWriter);
  const problems: string[] = [];
  let writes = 0;
  for (let kills = 0; kills <= KILLS; kills++) {
    const server = startProcess(t, [...LOCAL, '--data-dir', folder]);
    const client = await server.listening();
    const stored = (await client.get('/v1/pipelines')).json<never[]>();
    for (const writer of writers) {
      const result = writer.check(stored);
      writes += result.checked;
      problems.push(...result.problems);
    }
    if (kills < KILLS) {
      const writing = writers.map((writer) => writer.writeUntilKilled(client));
      await wait(Math.random() * MOST_MS);
      server.child.kill('SIGKILL');
      await Promise.all(writing);
    } else {
      server.child.kill('SIGTERM');
    }
    await server.ended();
  }
  t.same(problems, []);
  const database = new DatabaseSync(`${folder}/chunksmith.db`, { readOnly: true });
  t.same({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
  database.close();
  t.ok(writes > KILLS, 'there were writes to lose');
  t.comment(`${KILLS} kills, ${writes} writes checked`);
});
