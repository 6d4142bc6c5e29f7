import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type FilterQuery, type MikroORM, UniqueConstraintViolationException } from '@mikro-orm/core';
import { ServiceError } from '../../core/errors.ts';
import type {
  NewPipeline,
  OpenPipelineStore,
  Page,
  PageRequest,
  PipelineChanges,
  PipelineRecord,
  Versions,
} from './contract.ts';
import { isTransient, unavailable } from './failures.ts';
import { idOf } from './ids.ts';
import type { OpenDatabase } from './open-database.ts';
import { PipelineEntity, type PipelineRow } from './schema.ts';

/**
 * The current time as text that sorts chronologically: UTC without a zone, `2026-01-02T03:04:05.123456`. Each
 * result is later than `after` and than all earlier results.
 */
export type Clock = (after?: string) => string;

/** Milliseconds. If the system clock and the precise clock differ by more, the system clock was set. */
const MAX_DRIFT = 2;

export function createClock(read: () => number = readSystemClock): Clock {
  let last = 0;
  return (after) => {
    const least = Math.max(last, after === undefined ? 0 : toMicroseconds(after)) + 1;
    last = Math.max(least, Math.floor(read() * 1000));
    return toText(last);
  };
}

function readSystemClock(): number {
  const system = Date.now();
  const precise = performance.timeOrigin + performance.now();
  return Math.abs(precise - system) > MAX_DRIFT ? system : precise;
}

function toText(microseconds: number): string {
  const whole = new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1);
  return whole + String(microseconds % 1000).padStart(3, '0');
}

function toMicroseconds(text: string): number {
  return Date.parse(`${text.slice(0, -3)}Z`) * 1000 + Number(text.slice(-3));
}

interface Table {
  readonly orm: MikroORM;
  readonly clock: Clock;
}

/** Number of lost races for a row after which an update gives up. */
const MAX_RACES = 1000;

/**
 * Creates the repository. Every change is a single statement, and therefore atomic. An update names the
 * version of the row that was read. If another change came first, the update is repeated.
 */
export function createRepository({
  orm,
  checkFile,
  calls,
}: Pick<OpenDatabase, 'orm' | 'checkFile' | 'calls'>): OpenPipelineStore {
  const table: Table = { orm, clock: createClock() };
  const unlessLocked = <T>(work: () => Promise<T>): Promise<T> => calls.make(isTransient, work);
  const lasting = <T>(write: () => Promise<T>): Promise<T> =>
    unlessLocked(async () => {
      const result = await write();
      await checkFile();
      return result;
    });
  return {
    create: (pipeline) => lasting(() => create(table, pipeline)),
    list: (page) => unlessLocked(() => list(table, page)),
    get: (id) => unlessLocked(() => get(table, id)),
    update: (id, changes, ifMatch) => lasting(() => update(table, id, changes, ifMatch)),
    delete: (id, ifMatch) => lasting(() => remove(table, id, ifMatch)),
    ping: () => lasting(() => ping(table)),
  };
}

async function create({ orm, clock }: Table, pipeline: NewPipeline): Promise<PipelineRecord> {
  const now = clock();
  const row = { id: randomUUID(), ...pipeline, createdAt: now, updatedAt: now, version: 1 };
  await withFreeName(pipeline.name, () => orm.em.fork().insert(PipelineEntity, row));
  return toRecord(row);
}

async function list({ orm }: Table, { name, limit, after }: PageRequest): Promise<Page> {
  const where: FilterQuery<PipelineRow> = name === undefined ? {} : { name };
  if (after !== undefined) {
    const { created_at, id } = after;
    const isOlder = { $or: [{ createdAt: { $lt: created_at } }, { id: { $lt: id } }] };
    Object.assign(where, { createdAt: { $lte: created_at }, ...isOlder });
  }
  const rows = await orm.em.fork().find(PipelineEntity, where, {
    orderBy: { createdAt: 'desc', id: 'desc' },
    limit: limit + 1,
    disableIdentityMap: true,
  });
  return { pipelines: rows.slice(0, limit).map(toRecord), hasMore: rows.length > limit };
}

async function get(table: Table, id: string): Promise<PipelineRecord> {
  const key = idOf(id);
  const row =
    key === undefined
      ? null
      : await table.orm.em.fork().findOne(PipelineEntity, { id: key }, { disableIdentityMap: true });
  if (row === null) throw await notFound(table, id);
  return toRecord(row);
}

async function update(
  table: Table,
  id: string,
  changes: PipelineChanges,
  ifMatch: Versions = '*',
): Promise<PipelineRecord> {
  for (let race = 0; race < MAX_RACES; race++) {
    const before = await getMatching(table, id, ifMatch);
    const changed = differences(before, changes);
    if (Object.keys(changed).length === 0) return before;
    const moved = { updatedAt: table.clock(before.updated_at), version: before.version + 1 };
    const where = { id: before.id, version: before.version };
    const count = await withFreeName(changes.name, () =>
      table.orm.em.fork().nativeUpdate(PipelineEntity, where, { ...changed, ...moved }),
    );
    if (count === 1) return { ...before, ...changed, updated_at: moved.updatedAt, version: moved.version };
  }
  throw lostRaces();
}

async function remove(table: Table, id: string, ifMatch: Versions = '*'): Promise<void> {
  for (let race = 0; race < MAX_RACES; race++) {
    const before = await getMatching(table, id, ifMatch);
    const where = ifMatch === '*' ? { id: before.id } : { id: before.id, version: before.version };
    if ((await table.orm.em.fork().nativeDelete(PipelineEntity, where)) === 1) return;
  }
  throw lostRaces();
}

async function ping({ orm }: Table): Promise<void> {
  await orm.em.getConnection().execute('select 1');
}

async function getMatching(table: Table, id: string, ifMatch: Versions): Promise<PipelineRecord> {
  const record = await get(table, id);
  if (ifMatch === '*' || ifMatch.includes(record.version)) return record;
  throw new ServiceError('precondition_failed', { id: record.id, etag: `"${record.version}"` });
}

async function withFreeName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
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

/** Creates the error. If the id is the name of a pipeline, the error says so. */
async function notFound({ orm }: Table, id: string): Promise<ServiceError> {
  const named = id.includes('\0')
    ? null
    : await orm.em.fork().findOne(PipelineEntity, { name: id }, { fields: ['id'] });
  const remedy =
    named === null
      ? 'GET /v1/pipelines lists all pipelines'
      : `the one with this name has the id ${named.id}`;
  return new ServiceError('pipeline_not_found', { id: JSON.stringify(id.slice(0, 100)), remedy });
}

function lostRaces(): ServiceError {
  return unavailable('other requests keep changing this pipeline; try again');
}
