import { ServiceError } from '../../../core/errors.ts';
import type { NamedPipeline, NamedPipelines } from '../../service/tasks.ts';
import type { PipelineStore } from '../../store/contract.ts';
import type { Services } from '../services.ts';
import { textProblems } from './requests.ts';

/** Most pipelines that are looked up for a request: more candidates than that are refused when it is read. */
const MOST = 100;
/** What every request that names a pipeline has in its bytes, unless it writes the letters as escapes. */
const MEMBER = 'pipeline';
const ESCAPE = '\\u';

/**
 * Looks up the stored pipelines that a request to evaluate names. Only one that may name any is read for that.
 *
 * @throws ServiceError what reading the request throws, `store_unavailable`
 */
export async function namedPipelines(
  body: Buffer,
  stop: AbortController,
  { runner, store }: Pick<Services, 'runner' | 'store'>,
): Promise<NamedPipelines> {
  const found = new Map<string, NamedPipeline>();
  if (!body.includes(MEMBER) && !body.includes(ESCAPE)) return found;
  // A copy, because the bytes may be moved to another thread and are needed again.
  const { bytes } = await runner.run({ run: 'names' }, new Uint8Array(body), stop);
  const names = JSON.parse(Buffer.from(bytes).toString()) as readonly string[];
  for (const name of names.slice(0, MOST)) {
    const pipeline = await findPipeline(name, store);
    if (pipeline !== undefined) found.set(name, pipeline);
  }
  return found;
}

/** The pipeline of an id, else that of a name. @throws ServiceError `store_unavailable` */
export async function findPipeline(given: string, store: PipelineStore): Promise<NamedPipeline | undefined> {
  if (textProblems('name', given).length > 0) return undefined;
  try {
    return plain(await store.get(given));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'pipeline_not_found') throw error;
  }
  const { pipelines } = await store.list({ limit: 1, name: given });
  return pipelines[0] === undefined ? undefined : plain(pipelines[0]);
}

/** Without what other threads do not need. */
function plain({ name, steps }: NamedPipeline): NamedPipeline {
  return { name, steps };
}
