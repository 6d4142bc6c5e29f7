import type { Kind, Manifest } from '../contracts/manifest.ts';
import { reasonOf, ServiceError } from '../errors.ts';

export interface Named {
  readonly manifest: { readonly kind: Kind; readonly name: string };
}

/**
 * Converts a plugin's error to a `ServiceError`. Callers see its message only if the error has `expose: true`. A
 * `statusCode` of 400 is then kept. Other errors may contain paths or keys, so only the log has their messages.
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

/** Whether a plugin needs an API key. Such a plugin calls a server on the network, which may cost money. */
export function needsKey({ needs }: Manifest): boolean {
  return (needs?.env ?? []).length > 0;
}

/** Codes of errors about something that the server lacks, which are not faults of a plugin. */
const LACKING = new Set(['unknown_tokenizer', 'unknown_model', 'model_files_missing', 'missing_capability']);

export function isLacking(error: unknown): error is ServiceError {
  return error instanceof ServiceError && LACKING.has(error.code);
}
