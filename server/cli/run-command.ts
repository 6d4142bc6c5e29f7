import addCompletion from '@bomb.sh/tab/commander';
import { Command, CommanderError } from 'commander';
import type { Environment } from '../config/config.ts';
import { VERSION } from '../version.ts';
import { endWithReader } from './closed-pipe.ts';
import { evaluateCommand } from './commands/evaluate.ts';
import { jobsCommand } from './commands/jobs.ts';
import { listingCommands } from './commands/listings.ts';
import { pipelinesCommand } from './commands/pipelines.ts';
import { pluginCommand } from './commands/plugin.ts';
import { serverCommands } from './commands/serve.ts';
import { chunkCommand, runChunk } from './corpus/run-chunk.ts';
import { EXIT, isExpected, isUsage } from './errors.ts';

/**
 * Runs the command line.
 *
 * @returns the exit status: 0 all is done, 1 it failed, 2 it was not asked for rightly, 3 some documents failed, 130 it
 *   was interrupted, 143 it was terminated
 */
export async function runCommand(args: readonly string[], env: Environment): Promise<number> {
  try {
    const [name, ...rest] = args;
    if (name === 'chunk')
      return await runChunk(chunkCommand().name('chunksmith chunk').exitOverride(), rest, env);
    endWithReader();
    await program(env).parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    console.error(isExpected(error) ? error.message : error);
    return isUsage(error) ? EXIT.usage : EXIT.failed;
  }
}

function program(env: Environment): Command {
  const whole = new Command('chunksmith')
    .description('Splits text into chunks: as a service, in this process, or on a running service.')
    .version(VERSION);
  const commands = [
    ...serverCommands(),
    chunkCommand(),
    ...listingCommands(env),
    pipelinesCommand(env),
    jobsCommand(env),
    evaluateCommand(env),
    pluginCommand(env),
  ];
  for (const command of commands) whole.addCommand(command);
  addCompletion(whole);
  return withOverride(whole);
}

/** Errors are thrown, by commands within commands too. */
function withOverride(command: Command): Command {
  command.exitOverride();
  command.commands.forEach(withOverride);
  return command;
}
