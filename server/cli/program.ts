import addCompletion from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import type { Environment } from '../config/config.ts';
import { findCorpora } from '../config/find-corpora.ts';
import { VERSION } from '../config/version.ts';
import { jobsCommand } from './commands/jobs.ts';
import { listingCommands } from './commands/listings.ts';
import { pipelinesCommand } from './commands/pipelines.ts';
import { pluginNewCommand } from './commands/plugin-new.ts';
import { pluginCheckCommand } from './plugin/check-command.ts';

/**
 * `chunksmith` with all its commands.
 *
 * @param server the commands `serve` and `check`
 * @param onEnd called with the exit status, if it is not 0
 */
export async function program(
  server: readonly Command[],
  env: Environment,
  onEnd: (status: number) => void,
): Promise<Command> {
  const corpora = await findCorpora();
  const chunk = await corpora?.chunkCommand();
  const tune = await corpora?.tuneCommand();
  const whole = new Command('chunksmith')
    .description('Splits text into chunks: as a service, in this process, or on a running service.')
    .version(VERSION);
  const plugin = new Command('plugin').description('Create and check your own plugins');
  plugin.addCommand(pluginNewCommand()).addCommand(pluginCheckCommand(env));
  const commands = [
    ...server,
    ...(chunk === undefined ? [] : [chunk.chunkCommand()]),
    ...(tune === undefined ? [] : [tune.tuneCommand(env, onEnd), tune.evaluateCommand(env, onEnd)]),
    ...listingCommands(env),
    pipelinesCommand(env),
    jobsCommand(env),
    plugin,
  ];
  for (const command of commands) whole.addCommand(command);
  addCompletion(whole);
  return whole;
}
