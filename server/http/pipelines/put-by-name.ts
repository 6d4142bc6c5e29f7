import { type ErrorCode, ServiceError } from '../../../core/errors.ts';
import type { NewPipeline, PipelineRecord, PipelineStore, Versions } from '../../store/contract.ts';

/** A change that loses the race for its name this often gives up. */
const MAX_RACES = 1000;

type Store = Pick<PipelineStore, 'list' | 'create' | 'update'>;

/**
 * Creates the pipeline, or replaces all members of the one with its name. If several calls use a new name, one
 * creates it and the others update it, one after the other.
 *
 * @param ifMatch the versions that may be changed; if given, the pipeline must exist
 * @throws ServiceError `pipeline_not_found`, `precondition_failed`
 */
export async function putByName(
  store: Store,
  pipeline: NewPipeline,
  ifMatch?: Versions,
): Promise<{ readonly record: PipelineRecord; readonly isNew: boolean }> {
  const { name, description, steps } = pipeline;
  for (let race = 0; race < MAX_RACES; race++) {
    const [before] = (await store.list({ limit: 1, name })).pipelines;
    expectMatch(name, before, ifMatch);
    const put = await unlessOvertaken(async () => {
      if (before === undefined) return { record: await store.create(pipeline), isNew: true };
      // The version that was read, so that a pipeline that has been renamed since is not changed.
      const record = await store.update(before.id, { description, steps }, [before.version]);
      return { record, isNew: false };
    });
    if (put !== undefined) return put;
  }
  throw new ServiceError('store_unavailable', {
    reason: 'other requests keep changing this pipeline',
    seconds: 1,
  });
}

function expectMatch(name: string, before: PipelineRecord | undefined, ifMatch: Versions | undefined): void {
  if (ifMatch === undefined) return;
  if (before === undefined) {
    throw new ServiceError('pipeline_not_found', {
      id: JSON.stringify(name.slice(0, 100)),
      remedy: 'GET /v1/pipelines lists all pipelines',
    });
  }
  if (ifMatch === '*' || ifMatch.includes(before.version)) return;
  throw new ServiceError('precondition_failed', { id: before.id, etag: `"${before.version}"` });
}

/** The errors that show that another change came between reading and writing. */
const OVERTAKEN: ReadonlySet<ErrorCode> = new Set([
  'pipeline_name_taken',
  'pipeline_not_found',
  'precondition_failed',
]);

async function unlessOvertaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ServiceError && OVERTAKEN.has(error.code)) return undefined;
    throw error;
  }
}
