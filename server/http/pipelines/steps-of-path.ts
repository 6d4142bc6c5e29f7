import type { FastifyReply, FastifyRequest } from 'fastify';
import { requirePreset } from '../../engine/presets/presets.ts';
import type { ExecuteTask } from '../../engine/tasks.ts';
import type { PipelineRecord } from '../../store/contract.ts';
import type { Services } from '../transport/services.ts';

const pipelines = new WeakMap<FastifyRequest, Promise<PipelineRecord>>();

/** A hook that starts to look up the pipeline of the path's `pipeline_id`, before the body has arrived. */
export function lookUpPipeline({ store }: Services) {
  return async (request: FastifyRequest): Promise<void> => {
    const pipeline = store.get((request.params as { pipeline_id: string }).pipeline_id);
    pipeline.catch(() => {});
    pipelines.set(request, pipeline);
  };
}

/** @throws ServiceError `pipeline_not_found`, `store_unavailable` */
export async function lookedUpSteps(request: FastifyRequest): Promise<PipelineRecord['steps']> {
  return (await (pipelines.get(request) as Promise<PipelineRecord>)).steps;
}

/** The task of a preset. Sets the answer's header `x-preset`. @throws ServiceError `preset_not_found` */
export function presetTask({ params }: FastifyRequest, reply: FastifyReply): ExecuteTask {
  const { name, version, steps } = requirePreset((params as { preset: string }).preset);
  reply.header('x-preset', `${name}@${version}`);
  return { run: 'execute', steps, preset: name };
}
