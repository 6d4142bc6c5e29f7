import { Argument, Command } from 'commander';
import type { Environment } from '../../config/config.ts';
import { EXIT } from '../errors.ts';
import type { ChangeCounts } from './earlier-ids.ts';
import { type Counts, describe, showProgress, summaryOf } from './progress.ts';
import { type ChunkSetup, withSetup } from './setup.ts';
import { openSource } from './source.ts';
import { chunkToFolder } from './to-folder.ts';
import { chunkToStdout } from './to-stdout.ts';

/** @returns the command without its flags, which follow from the chunker that the arguments name */
export function chunkCommand(): Command {
  return new Command('chunk')
    .description(
      'Chunk files, and write a line of JSON for each chunk. Which options there are follows from --chunker.',
    )
    .addArgument(new Argument('<paths...>', 'files, folders and globs; - is JSON Lines on standard input'));
}

/**
 * Runs `chunk`.
 *
 * @param command from `chunkCommand`
 * @returns the exit status
 */
export function runChunk(command: Command, args: readonly string[], env: Environment): Promise<number> {
  return withSetup(command, args, env, async (setup) => {
    const stop = new AbortController();
    const release = stopOnSignals(stop);
    try {
      return await run(setup, stop.signal);
    } catch (error) {
      if (stop.signal.reason instanceof PipeClosed) return EXIT.done;
      if (stop.signal.reason instanceof Interrupted) return EXIT.interrupted;
      throw error;
    } finally {
      release();
    }
  });
}

class Interrupted extends Error {}
class PipeClosed extends Error {}

/** The first Ctrl-C stops with whole lines, the second at once. A closed pipe is no failure. */
function stopOnSignals(stop: AbortController): () => void {
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort(new Interrupted('interrupted'));
  };
  const onError = (error: NodeJS.ErrnoException) => {
    stop.abort(error.code === 'EPIPE' ? new PipeClosed('nobody reads on') : error);
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  process.stdout.on('error', onError);
  return () => {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    process.stdout.off('error', onError);
  };
}

async function run(setup: ChunkSetup, signal: AbortSignal): Promise<number> {
  const { flags, paths } = setup;
  const begin = performance.now();
  const counts: Counts = { documents: 0, failed: 0, skipped: 0, chunks: 0, bytes: 0 };
  const source = await openSource(flags.root, paths);
  const kind = flags.json === true ? 'json' : flags.progress;
  const progress = showProgress(kind, counts, source.total);
  const context = { counts, progress, signal };
  const toWhere = flags.out === undefined ? chunkToStdout : chunkToFolder;
  const changes = await toWhere(setup, source, context).finally(() => progress.stop());
  const status = counts.failed > 0 ? EXIT.someFailed : EXIT.done;
  const summary = summaryOf(counts, begin);
  if (kind === 'json')
    process.stderr.write(`${JSON.stringify({ ...summary, ...(changes && { changes }), status })}\n`);
  else if (kind !== 'none') process.stderr.write(`${describe(summary)}${changed(changes)}\n`);
  return status;
}

function changed(changes: ChangeCounts | undefined): string {
  if (changes === undefined) return '';
  const { added, unchanged, deleted } = changes;
  return `; ${added} chunks added, ${deleted} deleted, ${unchanged} unchanged`;
}
