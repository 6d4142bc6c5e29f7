import { type AwilixContainer, asValue } from 'awilix';
import { type Config, type Environment, type Flags, readConfig } from '../config/config.ts';
import { checkFolders } from '../config/folders.ts';
import { createLog } from '../config/log.ts';
import { readMachine } from '../config/option.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import type { Runner } from '../engine/run/runner.ts';
import { logPlugins } from '../plugins/loader/loader.ts';
import { setSwitchesFor } from './v8-switches.ts';

/** What commands use of the container. */
const PARTS = [
  'config',
  'log',
  'service',
  'byteBudget',
  'registry',
  'requestSchemas',
  'host',
  'importCheck',
  'openers',
  'store',
] as const;

/** The service in this process, without HTTP. */
export interface Engine extends Pick<ServerCradle, (typeof PARTS)[number]> {
  /**
   * Runs work in threads. Call it once.
   *
   * @param isSmall whether there is so little work that it is done before a thread would have started
   */
  runner(isSmall: boolean): Runner;
  close(): Promise<void>;
}

/**
 * The log goes to standard error, because standard output has the command's answer, and has only warnings and errors.
 */
const LOG = { logLevel: 'warning', logFormat: 'pretty', logTo: 'stderr' } as const;

/**
 * @param flags the command line's engine options; everything else is read from the variables that a server reads
 * @throws ConfigError, and ServiceError as `createServerContainer` does
 */
export async function openEngine(flags: Flags, env: Environment): Promise<Engine> {
  const config: Config = { ...readConfig(flags, env), ...LOG };
  checkFolders(config);
  const log = await createLog(config);
  const container: AwilixContainer<ServerCradle> = await createServerContainer(config, log);
  const parts = Object.fromEntries(PARTS.map((name) => [name, container.cradle[name]]));
  const { registry } = container.cradle;
  logPlugins(registry, log);
  setSwitchesFor(registry.all, readMachine().memoryBytes);
  return {
    ...(parts as Pick<ServerCradle, (typeof PARTS)[number]>),
    runner(isSmall) {
      if (isSmall) container.register({ pool: asValue(undefined) });
      return container.cradle.runner;
    },
    close: () => disposeInOrder(container),
  };
}
