import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { createKillWriter } from '../support/kill-writer.ts';
import { startProcess } from '../support/process.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import type { Mode, Report } from './mode.ts';

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--workers', '0', '--plugins', 'token,character'];
const MOST_MS = 300;

/** A server that is killed while pipelines are written: what was answered is there afterwards. */
export const writes: Mode = {
  title: 'writes: the server is killed while pipelines are stored, changed and deleted',
  defaults: { seconds: 0, count: 100 },
  run: (t, { count }) => killWhileWriting(t, count),
};

export async function killWhileWriting(t: Cleanup, count: number): Promise<Report> {
  const folder = await temporaryFolder(t);
  const writers = ['a', 'b', 'c', 'd'].map(createKillWriter);
  const problems: string[] = [];
  let checked = 0;
  for (let kills = 0; kills <= count; kills++) {
    const server = startProcess(t, [...LOCAL, '--data-dir', folder]);
    const client = await server.listening();
    const stored = (await client.get('/v1/pipelines')).json<never[]>();
    for (const writer of writers) {
      const result = writer.check(stored);
      checked += result.checked;
      problems.push(...result.problems);
    }
    if (kills < count) {
      const writing = writers.map((writer) => writer.writeUntilKilled(client));
      await wait(Math.random() * MOST_MS);
      server.child.kill('SIGKILL');
      await Promise.all(writing);
    } else {
      server.child.kill('SIGTERM');
    }
    await server.ended();
  }
  return reportOf(count, checked, problems, integrityOf(`${folder}/chunksmith.db`));
}

function integrityOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return JSON.stringify(database.prepare('pragma integrity_check').all());
  } finally {
    database.close();
  }
}

function reportOf(kills: number, checked: number, problems: readonly string[], integrity: string): Report {
  return {
    figures: [['kills', String(kills)]],
    checks: [
      {
        what: 'writes that are lost, half made or made up: 0',
        found: [problems.length, ...problems].join(', ').slice(0, 1000),
        isKept: problems.length === 0,
      },
      {
        what: 'the database is whole',
        found: integrity,
        isKept: integrity === '[{"integrity_check":"ok"}]',
      },
      { what: 'there were writes to lose', found: String(checked), isKept: checked > kills },
    ],
  };
}
