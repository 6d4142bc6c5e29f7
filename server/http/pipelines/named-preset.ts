import type { FastifyReply, FastifyRequest } from 'fastify';
import { requirePreset } from '../../engine/presets/read-presets.ts';
import type { ExecuteTask } from '../../engine/tasks.ts';

/** The task of a request whose path names a preset; the answer says which version of it. @throws ServiceError `preset_not_found` */
export function presetTask({ params }: FastifyRequest, reply: FastifyReply): ExecuteTask {
  const { name, version, steps } = requirePreset((params as { preset: string }).preset);
  reply.header('x-preset', `${name}@${version}`);
  return { run: 'execute', steps, preset: name };
}
