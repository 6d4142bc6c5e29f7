import type { FastifyInstance } from 'fastify';
import type { Registry } from '../../core/registry.ts';
import { chunkRequest, refineRequest } from '../../core/requests.ts';
import type { Metrics } from '../metrics.ts';
import type { Runner } from '../run/runner.ts';
import { bytesRoute, pluginDocs } from './bytes-route.ts';
import { chunkAnswer, refineAnswer } from './schemas.ts';

/** One route for each chunker and refinery that was found, also where it cannot run. */
export function pluginRoutes(
  app: FastifyInstance,
  registry: Registry,
  runner: Runner,
  metrics: Metrics,
): void {
  for (const entry of registry.ofKind('chunker')) {
    const schema = pluginDocs(entry, 'chunk', chunkRequest(entry.manifest), chunkAnswer(entry.manifest));
    const { name } = entry.manifest;
    app.post(
      `/v1/chunk/${name}`,
      { schema },
      bytesRoute(runner, metrics, () => ({ run: 'chunk', name })),
    );
  }
  for (const entry of registry.ofKind('refinery')) {
    const schema = pluginDocs(
      entry,
      'refine',
      refineRequest(entry.manifest, 'any'),
      refineAnswer(entry.manifest),
    );
    const { name } = entry.manifest;
    app.post(
      `/v1/refine/${name}`,
      { schema },
      bytesRoute(runner, metrics, () => ({ run: 'refine', name })),
    );
  }
}
