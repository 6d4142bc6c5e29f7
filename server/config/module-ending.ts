import { extname } from 'node:path';

/** The file extension of this program's modules: `.ts` in a checkout, `.js` in a package. */
export const MODULE_ENDING = extname(import.meta.filename);
