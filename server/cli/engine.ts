import { type Config, type Environment, type Flags, readConfig } from '../config/config.ts';
import { checkFolders } from '../config/folders.ts';
import { createLog } from '../config/log.ts';
import { readMachine } from '../config/option.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import { Runner } from '../engine/run/runner.ts';
import { logPlugins } from '../plugins/loader/loader.ts';
import { setSwitchesFor } from './v8-switches.ts';

export interface Engine {
  readonly cradle: ServerCradle;
  /** Runs everything in this thread. */
  readonly inline: Runner;
  close(): Promise<void>;
}

/** Logs only warnings and errors, to standard error. The command writes its results to standard output. */
const LOG = { logLevel: 'warning', logFormat: 'pretty', logTo: 'stderr' } as const;

/**
 * @param flags the engine options of the command line; environment variables set all other options
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
    inline: new Runner({ config, service: cradle.service, pool: undefined }),
    close: () => disposeInOrder(container),
  };
}
