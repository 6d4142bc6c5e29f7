import { hold } from '../../core/hold.ts';
import { EXIT } from './errors.ts';

/** Ends the process when its output is no longer read, as in `chunksmith check | head`: not a failure. */
export function endWithReader(): void {
  hold(process.stdout, (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.done);
  });
}
