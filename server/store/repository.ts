import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type FilterQuery, type MikroORM, UniqueConstraintViolationException } from '@mikro-orm/core';
import { ServiceError } from '../../core/errors.ts';
import type { Clock } from './clock.ts';
import { unavailable } from './failures.ts';
import { PipelineEntity, type PipelineRow } from './pipeline-entity.ts';
import type { PipelineChanges, PipelineRecord, PipelineStore, Versions } from './pipeline-store.ts';

/** The store of an open database; failures of the database come as they are. */
export type Repository = Omit<PipelineStore, 'open'>;

/** Others may win the race for a row this often before an update gives up. */
const MOST_RACES = 1000;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/**
 * Every change is one statement, so that it is made whole or not at all. A change of a row names the
 * version that was read and begins anew where another change came first.
 *
 * @param checkPlace throws where what was written would not be found again
 */
export function createRepository(orm: MikroORM, clock: Clock, checkPlace: () => Promise<void>): Repository {
  return {
    create: lasting(create),
    list,
    get,
    update: lasting(update),
    delete: lasting(remove),
    ping: lasting(ping),
    close: () => orm.close(true),
  };

  function lasting<Args extends unknown[], T>(write: (...args: Args) => Promise<T>) {
    return async (...args: Args): Promise<T> => {
      const result = await write(...args);
      await checkPlace();
      return result;
    };
  }

  async function create(pipeline: Parameters<PipelineStore['create']>[0]): Promise<PipelineRecord> {
    const now = clock.now();
    const row = { id: randomUUID(), ...pipeline, createdAt: now, updatedAt: now, version: 1 };
    await nameOnce(pipeline.name, () => orm.em.fork().insert(PipelineEntity, row));
    return toRecord(row);
  }

  async function list({ limit, after }: Parameters<PipelineStore['list']>[0]) {
    const older: FilterQuery<PipelineRow> =
      after === undefined
        ? {}
        : {
            createdAt: { $lte: after.created_at },
            $or: [{ createdAt: { $lt: after.created_at } }, { id: { $lt: after.id } }],
          };
    const rows = await orm.em.fork().find(PipelineEntity, older, {
      orderBy: { createdAt: 'desc', id: 'desc' },
      limit: limit + 1,
      disableIdentityMap: true,
    });
    return { pipelines: rows.slice(0, limit).map(toRecord), hasMore: rows.length > limit };
  }

  async function get(id: string): Promise<PipelineRecord> {
    const key = id.toLowerCase();
    const row = UUID.test(key)
      ? await orm.em.fork().findOne(PipelineEntity, { id: key }, { disableIdentityMap: true })
      : null;
    if (row === null) throw notFound(id);
    return toRecord(row);
  }

  async function update(id: string, changes: PipelineChanges, ifMatch: Versions = '*') {
    for (let race = 0; race < MOST_RACES; race++) {
      const before = await getMatching(id, ifMatch);
      const changed = differences(before, changes);
      if (Object.keys(changed).length === 0) return before;
      const moved = { updatedAt: clock.now(before.updated_at), version: before.version + 1 };
      const where = { id: before.id, version: before.version };
      const count = await nameOnce(changes.name, () =>
        orm.em.fork().nativeUpdate(PipelineEntity, where, { ...changed, ...moved }),
      );
      if (count === 1) return { ...before, ...changed, updated_at: moved.updatedAt, version: moved.version };
    }
    throw lostRaces();
  }

  async function remove(id: string, ifMatch: Versions = '*'): Promise<void> {
    for (let race = 0; race < MOST_RACES; race++) {
      const before = await getMatching(id, ifMatch);
      const where = ifMatch === '*' ? { id: before.id } : { id: before.id, version: before.version };
      if ((await orm.em.fork().nativeDelete(PipelineEntity, where)) === 1) return;
    }
    throw lostRaces();
  }

  async function ping(): Promise<void> {
    await orm.em.getConnection().execute('select 1');
  }

  async function getMatching(id: string, ifMatch: Versions): Promise<PipelineRecord> {
    const record = await get(id);
    if (ifMatch === '*' || ifMatch.includes(record.version)) return record;
    throw new ServiceError('precondition_failed', { id: record.id, etag: `"${record.version}"` });
  }
}

async function nameOnce<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new ServiceError('pipeline_name_taken', { name: JSON.stringify(name) }, error);
  }
}

function differences(before: PipelineRecord, changes: PipelineChanges): PipelineChanges {
  const changed = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, before[name as keyof PipelineRecord]),
  );
  return Object.fromEntries(changed);
}

function toRecord({ createdAt, updatedAt, ...row }: Omit<PipelineRow, symbol>): PipelineRecord {
  const { id, name, description = null, steps, version } = row;
  return { id, name, description, steps, created_at: createdAt, updated_at: updatedAt, version };
}

function notFound(id: string): ServiceError {
  return new ServiceError('pipeline_not_found', { id: JSON.stringify(id.slice(0, 100)) });
}

function lostRaces(): ServiceError {
  return unavailable('others keep changing this pipeline; try again');
}
