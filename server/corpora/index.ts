/**
 * Everything that the rest of the server knows about corpora; `server/find-corpora.ts` imports it, if the folder
 * exists.
 */
export { openCorpora } from './open-corpora.ts';
export { describeCorpora } from './storage/settings.ts';

/** The command `chunk`, which a server does not load. */
export const chunkCommand = () => import('./command/run-chunk.ts');

/** The commands `tune` and `evaluate`, which a server does not load either. */
export const tuneCommand = () => import('./command/tune/run-tune.ts');
