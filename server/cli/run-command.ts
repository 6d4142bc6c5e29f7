import { type Command, CommanderError } from 'commander';
import { ServiceError } from '../../core/errors.ts';
import type { Environment } from '../config/config.ts';
import { findCorpora } from '../config/find-corpora.ts';
import { endWithReader } from './closed-pipe.ts';
import { serverCommands } from './commands/serve.ts';
import { EXIT, isExpected, isUsage, UsageError } from './errors.ts';
import { inOwnTerms } from './own-terms.ts';

/**
 * Runs the command line.
 *
 * @returns the exit status: 0 all done, 1 failed, 2 usage error, 3 some documents failed, 130 interrupted,
 *   143 terminated
 */
export async function runCommand(args: readonly string[], env: Environment): Promise<number> {
  endWithReader();
  try {
    return await run(args, env);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    console.error(isExpected(error) ? messageOf(error, args) : error);
    return isUsage(error) ? EXIT.usage : EXIT.failed;
  }
}

const OF_SERVER: readonly (string | undefined)[] = ['serve', 'check'];

function messageOf(error: Error, [command]: readonly string[]): string {
  return error instanceof ServiceError && !OF_SERVER.includes(command)
    ? inOwnTerms(error.detail)
    : error.message;
}

/** Runs a command. `serve`, `check` and `chunk` start faster, because the other commands are not loaded. */
async function run(args: readonly string[], env: Environment): Promise<number> {
  const [name, ...rest] = args;
  if (name === 'chunk') {
    const corpora = await findCorpora();
    if (corpora === undefined) throw new UsageError('chunk: corpora are not in this build of chunksmith');
    const { chunkCommand, runChunk } = await corpora.chunkCommand();
    return runChunk(prepared(chunkCommand().name('chunksmith chunk')), rest, env);
  }
  let status: number = EXIT.done;
  const onEnd = (ended: number) => {
    status = ended;
  };
  const server = serverCommands(env, onEnd);
  const alone = server.find((command) => command.name() === name);
  if (alone === undefined) {
    const { program } = await import('./program.ts');
    await prepared(await program(server, env, onEnd)).parseAsync([...args], { from: 'user' });
  } else await prepared(alone.name(`chunksmith ${name}`)).parseAsync(rest, { from: 'user' });
  return status;
}

/** Minimum width of the help in columns: in a narrower help, descriptions move below their flags. */
const HELP_WIDTH = 110;

function prepared(command: Command): Command {
  command.exitOverride().configureHelp({ helpWidth: Math.max(HELP_WIDTH, process.stdout.columns ?? 0) });
  command.commands.forEach(prepared);
  return command;
}
