import type { Manifest } from '../contracts/manifest.ts';
import { ServiceError } from '../errors.ts';

/** Whether a plugin needs a key: it then calls a server on the network, which may cost money. */
export function needsKey({ needs }: Manifest): boolean {
  return (needs?.env ?? []).length > 0;
}

/** What the server lacks for a request; not a fault of the plugin. */
const LACKING = new Set(['unknown_tokenizer', 'unknown_model', 'model_files_missing', 'missing_capability']);

export function isLacking(error: unknown): error is ServiceError {
  return error instanceof ServiceError && LACKING.has(error.code);
}
