import { hold } from '../../core/hold.ts';
import { EXIT } from './errors.ts';

/** Ends the process without an error when its output is no longer read, as in `chunksmith check | head`. */
export function endWithReader(): void {
  hold(process.stdout, (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.done);
  });
}
