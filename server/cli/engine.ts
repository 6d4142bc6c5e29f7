import { asValue } from 'awilix/browser';
import { type Config, type Environment, type Flags, readConfig } from '../config/config.ts';
import { checkFolders } from '../config/folders.ts';
import { createLog } from '../config/log.ts';
import { readMachine } from '../config/option.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import type { Runner } from '../engine/run/runner.ts';
import { logPlugins } from '../plugins/loader/loader.ts';
import { setSwitchesFor } from './v8-switches.ts';

export interface Engine {
  readonly cradle: ServerCradle;
  /**
   * Runs work in threads. Call it once.
   *
   * @param isSmall whether the work ends before a thread would have started
   */
  runner(isSmall: boolean): Runner;
  close(): Promise<void>;
}

/** The log has only warnings and errors, on standard error: standard output has the command's answer. */
const LOG = { logLevel: 'warning', logFormat: 'pretty', logTo: 'stderr' } as const;

/**
 * @param flags the command line's engine options; other options come from a server's variables
 * @throws ConfigError, and ServiceError as `createServerContainer` does
 */
export async function openEngine(flags: Flags, env: Environment): Promise<Engine> {
  const config: Config = { ...readConfig(flags, env), ...LOG };
  checkFolders(config);
  const log = createLog(config);
  const container = await createServerContainer(config, log);
  const { cradle } = container;
  logPlugins(cradle.registry, log);
  setSwitchesFor(cradle.registry.all, readMachine().memoryBytes);
  return {
    cradle,
    runner(isSmall) {
      if (isSmall) container.register({ pool: asValue(undefined) });
      return cradle.runner;
    },
    close: () => disposeInOrder(container),
  };
}
