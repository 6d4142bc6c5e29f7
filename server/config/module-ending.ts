import { extname } from 'node:path';

/** How the files of this program's modules end: `.ts` in a checkout, `.js` in a package. */
export const MODULE_ENDING = extname(import.meta.filename);
