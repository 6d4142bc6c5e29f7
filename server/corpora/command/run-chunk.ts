import { Argument, Command } from 'commander';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import { outliveReader } from '../../cli/closed-pipe.ts';
import { CommandError, EXIT, isExpected, UsageError } from '../../cli/errors.ts';
import { inOwnTerms } from '../../cli/own-terms.ts';
import type { Environment } from '../../config/config.ts';
import { leftOutInWords } from '../../engine/read/readers.ts';
import { NO_COUNTS } from '../../store/jobs/contract.ts';
import { Skips } from '../skips.ts';
import type { ChangeCounts } from './changes.ts';
import { namingReplaced } from './flags.ts';
import { type Counts, describe, showProgress, summaryOf } from './progress.ts';
import { type ChunkSetup, withSetup } from './setup.ts';
import { chunkToFolder } from './to-folder.ts';
import { chunkToStdout } from './to-stdout.ts';

/** @returns the command without flags: the flags depend on the chunker, which the arguments select */
export function chunkCommand(): Command {
  const replaced = { '--jsonl': '--format jsonl', '--json': '--progress json' };
  return namingReplaced(new Command('chunk'), replaced)
    .description('Chunk files, and write a line of JSON for each chunk. The options depend on --chunker.')
    .addArgument(
      new Argument('<paths...>', 'files, folders and globs; - reads JSON Lines from standard input'),
    );
}

/** Runs `chunk` and returns the exit status. @param command from `chunkCommand` */
export function runChunk(command: Command, args: readonly string[], env: Environment): Promise<number> {
  return withSetup(command, args, env, async (setup) => {
    const stop = new AbortController();
    const { progress } = setup.flags;
    const isReported = progress !== 'none' && progress !== 'json';
    stopOnSignals(stop, () => isReported && console.error('interrupted'));
    try {
      return await run(setup, stop);
    } finally {
      stop.abort();
    }
  });
}

async function run(setup: ChunkSetup, stop: AbortController): Promise<number> {
  const { flags, source } = setup;
  const begin = performance.now();
  const { skipped: _, ...none } = NO_COUNTS;
  const counts: Counts = { ...none, skips: new Skips() };
  const kind = flags.progress;
  const progress = showProgress(kind, counts, source.total);
  const context = { counts, progress, stop, signal: stop.signal };
  const toWhere = flags.out === undefined ? chunkToStdout : chunkToFolder;
  let changes: ChangeCounts | undefined;
  let error: unknown;
  try {
    changes = await toWhere(setup, context);
    checkRead(setup, counts);
  } catch (thrown) {
    error = stop.signal.aborted ? stop.signal.reason : thrown;
  }
  progress.stop?.();
  if (error instanceof UsageError) throw error;
  const status = statusOf(error, counts);
  const summary = summaryOf(counts, begin);
  const failure = status === EXIT.failed && { error: reasonOf(inWords(error)) };
  if (kind === 'json') {
    console.error(JSON.stringify({ ...summary, ...(changes && { changes }), ...failure, status }));
    if (isExpected(error)) return status;
  } else if (kind !== 'none' && !isQuiet(error) && (error === undefined || counts.documents > 0))
    console.error(`${describe(summary)}${changed(changes)}${notesOn(counts)}`);
  if (status === EXIT.failed) throw inWords(error);
  return status;
}

/** @throws CommandError if nothing was read, unless `--since` is set: then nothing may be new */
function checkRead({ flags, source: { files } }: ChunkSetup, { documents, skips }: Counts): void {
  if (documents > 0 || flags.since !== undefined) return;
  if (skips.count > 0) throw new ServiceError('nothing_read', { skipped: String(skips) });
  if (files?.length === 0) throw new CommandError('Nothing was read: the given paths contain no files.');
}

function statusOf(error: unknown, { failed }: Counts): number {
  if (error instanceof Stopped) return error.status;
  if (error !== undefined) return EXIT.failed;
  return failed > 0 ? EXIT.someFailed : EXIT.done;
}

/** Whether the run ends quietly: the reader has closed the pipe (EPIPE), which is not an error. */
function isQuiet(error: unknown): boolean {
  return error instanceof Stopped && error.status === EXIT.done;
}

/** Converts an error of the source or the service during the work, where it is no longer a usage error. */
function inWords(error: unknown): unknown {
  return error instanceof ServiceError ? new CommandError(inOwnTerms(error.detail)) : error;
}

function notesOn({ skips, left_out }: Counts): string {
  const words = leftOutInWords(left_out);
  const leftOut = words === '' ? [] : [`left out by readers: ${words}`];
  const lines = [...(skips.groups.length > 0 ? [String(skips)] : []), ...leftOut];
  return lines.map((line) => `\n${line}`).join('');
}

function changed(changes: ChangeCounts | undefined): string {
  if (changes === undefined) return '';
  const { added, unchanged, deleted } = changes;
  return `; ${added} chunks added, ${deleted} deleted, ${unchanged} unchanged`;
}

export class Stopped extends Error {
  readonly status: number;

  constructor(reason: string, status: number) {
    super(reason);
    this.status = status;
  }
}

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/**
 * Stops a run on Ctrl-C and SIGTERM: the first time after complete lines, the second time at once. A closed
 * output, which is not a failure, and a failed write also stop the run.
 *
 * @param onInterrupt called at the first signal
 */
export function stopOnSignals(stop: AbortController, onInterrupt: () => void): void {
  const interrupt = (signal: keyof typeof SIGNALS) => {
    const status = SIGNALS[signal];
    if (stop.signal.aborted) process.exit(status);
    onInterrupt();
    stop.abort(new Stopped('interrupted', status));
  };
  const onError = (error: NodeJS.ErrnoException) => {
    const isClosed = error.code === 'EPIPE';
    const unwritable = new CommandError(`standard output cannot be written: ${error.message}`);
    stop.abort(isClosed ? new Stopped('the output is no longer read', EXIT.done) : unwritable);
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  outliveReader(onError);
}
