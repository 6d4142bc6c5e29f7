import type { Kind, Manifest } from '../contracts/manifest.ts';
import { reasonOf, ServiceError } from '../errors.ts';

export interface Named {
  readonly manifest: { readonly kind: Kind; readonly name: string };
}

/**
 * Translates a plugin's error. Callers see the message only if the error has `expose: true`; its `statusCode` may
 * make it a 400. Other errors may contain paths or keys, so they go only to the log.
 */
function asPluginError({ manifest: { kind, name } }: Named, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { expose, statusCode } = (error ?? {}) as { expose?: unknown; statusCode?: unknown };
  if (expose === true && statusCode === 400) {
    return new ServiceError('invalid_parameters', { problems: reasonOf(error) }, error);
  }
  const reason = expose === true ? reasonOf(error) : "an unexpected error; see the server's log";
  return new ServiceError('plugin_failed', { kind, name, reason }, asError(error));
}

function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const value = typeof thrown === 'object' ? 'an object' : JSON.stringify(String(thrown));
  return new Error(`it threw ${value}, which is not an error`);
}

export async function callPlugin<T>(entry: Named, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw asPluginError(entry, error);
  }
}

/** Whether a plugin needs a key: it then calls a server on the network, which may cost money. */
export function needsKey({ needs }: Manifest): boolean {
  return (needs?.env ?? []).length > 0;
}

/** Errors about things that the server lacks; the plugin is not at fault. */
const LACKING = new Set(['unknown_tokenizer', 'unknown_model', 'model_files_missing', 'missing_capability']);

export function isLacking(error: unknown): error is ServiceError {
  return error instanceof ServiceError && LACKING.has(error.code);
}
