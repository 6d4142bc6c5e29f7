import type { AwilixContainer } from 'awilix';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import { createLog } from '../log.ts';

/** The service in this process, without HTTP. */
export interface Engine
  extends Pick<ServerCradle, 'service' | 'runner' | 'registry' | 'requestSchemas' | 'host'> {
  readonly config: Config;
  readonly log: ServerCradle['log'];
  readonly store: ServerCradle['store'];
  close(): Promise<void>;
}

/** What a command line says of the engine; all else is read from the variables that a server reads. */
export interface EngineFlags {
  readonly workers?: string | undefined;
}

/** The log goes to standard error, as standard output has the answer of the command, and says only what is wrong. */
const LOG = { logLevel: 'warning', logFormat: 'pretty', logTo: 'stderr' } as const;

/** @throws ConfigError, and ServiceError as `createServerContainer` does */
export async function openEngine({ workers }: EngineFlags, env: Environment): Promise<Engine> {
  const flags = workers === undefined ? [] : ['--workers', workers];
  const config: Config = { ...readConfig(flags, env), ...LOG };
  const log = await createLog(config);
  const container: AwilixContainer<ServerCradle> = await createServerContainer(config, log);
  const { service, runner, registry, requestSchemas, host, store } = container.cradle;
  return {
    config,
    log,
    service,
    runner,
    registry,
    requestSchemas,
    host,
    store,
    close: () => disposeInOrder(container),
  };
}
