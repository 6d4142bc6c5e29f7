import { hold } from '../../core/hold.ts';
import { EXIT } from './errors.ts';

/**
 * Ends the process without an error when its output is no longer read, as in `chunksmith check | head`. Messages
 * that cannot be printed are dropped.
 */
export function endWithReader(): void {
  hold(process.stdout, end);
  hold(process.stderr);
}

/** From now on, a closed output does not end the process. @param onError handles errors of the output instead */
export function outliveReader(onError: (error: NodeJS.ErrnoException) => void = () => {}): void {
  hold(process.stdout, onError).off('error', end);
}

function end(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.done);
}
