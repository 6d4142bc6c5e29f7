import { hold } from '../../../core/hold.ts';
import { CommandError, EXIT } from '../errors.ts';

/** Why a run ends before its work is done, although nothing is wrong with it. */
export class Stopped extends Error {
  /** The exit status. */
  readonly status: number;

  constructor(reason: string, status: number) {
    super(reason);
    this.status = status;
  }
}

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/**
 * Stops a run on Ctrl-C and SIGTERM: the first time with whole lines, the second time at once. It also stops when nobody
 * reads its output any more, which is no failure, and when that cannot be written.
 *
 * @param onInterrupt told of the first time
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
    stop.abort(isClosed ? new Stopped('nobody reads on', EXIT.done) : unwritable(error));
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  hold(process.stdout, onError);
}

function unwritable({ message }: Error): CommandError {
  return new CommandError(`standard output cannot be written: ${message}`);
}
