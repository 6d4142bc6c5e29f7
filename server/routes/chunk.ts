import type { FastifyInstance } from 'fastify';
import { chunkRequest } from '../../core/options.ts';
import type { PluginEntry } from '../../core/registry.ts';
import type { Runner } from '../run/runner.ts';
import { bytesRoute, pluginDocs } from './bytes-route.ts';
import { chunkAnswer } from './schemas.ts';

/** One route per chunker that was found, also where it cannot run. */
export function chunkRoutes(app: FastifyInstance, entries: readonly PluginEntry[], runner: Runner): void {
  for (const entry of entries) {
    const { name } = entry.manifest;
    app.post(
      `/v1/chunk/${name}`,
      { schema: pluginDocs(entry, 'chunk', chunkRequest(entry.manifest), chunkAnswer) },
      bytesRoute(runner, { run: 'chunk', name }),
    );
  }
}
