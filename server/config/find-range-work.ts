/** The work of a worker thread on a part of a source. Only a build with `server/corpora` asks a thread for it. */
export const findRangeWork = () => import('../corpora/thread.ts');
