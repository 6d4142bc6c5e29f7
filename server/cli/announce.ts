import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Registry } from '../../core/hosting/registry.ts';
import { readKeys } from '../config/access.ts';
import { type Config, takesJobs } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import { databaseOf, nameOf } from '../store/database.ts';
import { addressOf } from './address.ts';

/** Logs where the server is found and what it has, once everything is ready. */
export function announce(app: FastifyInstance, config: Config, registry: Registry): void {
  const { port } = app.server.address() as AddressInfo;
  const address = addressOf(config.host, port);
  const docs = config.role === 'worker' ? {} : { docs: `${address}/docs` };
  app.log.info({ ...docs, ...describe(config, registry) }, `Server listening at ${address}`);
}

/** What an operator wants to see at the start: what is loaded, where data is kept, and who may call. */
function describe(config: Config, { all, broken }: Registry): Readonly<Record<string, string | number>> {
  const [ready, missing] = [true, false].map((isReady) =>
    all.filter((entry) => (entry.missing.length === 0) === isReady).map(({ manifest }) => manifest.name),
  ) as [string[], string[]];
  const keys = readKeys(config).length;
  return {
    version: VERSION,
    host: config.host,
    data: resolve(config.dataDir),
    store: nameOf(databaseOf(config)),
    plugins: ready.join(', '),
    ...(missing.length > 0 && { unavailable: missing.join(', ') }),
    ...(broken.length > 0 && { broken: broken.map(({ name }) => name).join(', ') }),
    workers: config.workers,
    jobs: takesJobs(config) ? `on, --role ${config.role}` : 'off',
    keys: keys === 0 ? 'off' : `on, ${keys}`,
    cors: config.corsOrigins.join(', ') || 'off',
    rateLimit: config.rateLimit === 0 ? 'off' : `${config.rateLimit} per minute and address`,
  };
}
