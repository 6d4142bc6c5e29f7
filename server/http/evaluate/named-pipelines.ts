import { ServiceError } from '../../../core/errors.ts';
import type { RunAnswer } from '../../engine/run/executor.ts';
import type { NamedPipeline, NamedPipelines, OnPart } from '../../engine/tasks.ts';
import type { PipelineStore } from '../../store/contract.ts';
import { textProblems } from '../pipelines/read.ts';
import type { Services } from '../transport/services.ts';

/** Maximum pipelines looked up for a request. The runner refuses requests with more candidates. */
const MAX_PIPELINES = 100;

/**
 * Runs evaluations. If a request names stored pipelines, a first run only returns their names, and a second
 * run gets the pipelines from the store.
 */
export function evaluateNamed({ runner, store }: Pick<Services, 'runner' | 'store'>) {
  return async (body: Buffer, stop: AbortController, onPart?: OnPart): Promise<RunAnswer> => {
    const options = onPart === undefined ? {} : { onPart };
    const first = await runner.run({ run: 'evaluate' }, body, stop, options);
    if (first.unknownPipelines === undefined) return first;
    const pipelines = await findAll(first.unknownPipelines, store);
    return runner.run({ run: 'evaluate', pipelines }, first.body as Uint8Array, stop, options);
  };
}

/** @throws ServiceError `store_unavailable` */
async function findAll(names: readonly string[], store: PipelineStore): Promise<NamedPipelines> {
  const found = new Map<string, NamedPipeline>();
  for (const name of names.slice(0, MAX_PIPELINES)) {
    const pipeline = await findPipeline(name, store);
    if (pipeline !== undefined) found.set(name, pipeline);
  }
  return found;
}

/** Finds a pipeline by id, otherwise by name. @throws ServiceError `store_unavailable` */
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

function plain({ name, steps }: NamedPipeline): NamedPipeline {
  return { name, steps };
}
