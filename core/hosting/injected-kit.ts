import { exposedError } from '../errors.ts';
import * as kit from '../kit.ts';

/**
 * What plugins of contract 1 receive as `kit`. Deprecated: plugins import `chunksmith/kit` and `chunksmith/toolkit`. Reading
 * a name that `kit.ts` does not export throws an error for callers that says so.
 */
export const injectedKit: object = new Proxy({ ...kit } as Readonly<Record<string | symbol, unknown>>, {
  get(functions, name) {
    if (typeof name === 'symbol' || name in functions) return functions[name];
    throw exposedError(
      `kit.${name} is no longer passed to factories: import ${name} from 'chunksmith/toolkit' if it is exported there`,
    );
  },
});
