import type { Kind } from '../contracts/manifest.ts';
import { reasonOf, ServiceError } from '../errors.ts';

/** Whom an error is about: a plugin, or what it has opened. */
export interface Named {
  readonly manifest: { readonly kind: Kind; readonly name: string };
}

/**
 * Translates what a plugin threw. The message is shown to the caller only if the plugin marked the error with
 * `expose: true`, as a 400 if its `statusCode` says so; anything else may hold paths or keys and goes to the
 * log alone.
 */
function asPluginError({ manifest: { kind, name } }: Named, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { expose, statusCode } = (error ?? {}) as { expose?: unknown; statusCode?: unknown };
  if (expose === true && statusCode === 400) {
    return new ServiceError('invalid_parameters', { problems: reasonOf(error) }, error);
  }
  const reason = expose === true ? reasonOf(error) : 'an unexpected error, which the log of the server has';
  return new ServiceError('plugin_failed', { kind, name, reason }, error);
}

/** Runs code of a plugin; what it throws is translated. */
export async function callPlugin<T>(entry: Named, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw asPluginError(entry, error);
  }
}
