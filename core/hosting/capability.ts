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

/** Why a file of a plugin could not be imported. */
export interface ImportFailure {
  /** One clause that anyone may read. */
  readonly reason: string;
  /**
   * The error's details, for the operator only: they may contain paths and whatever a plugin writes into its errors.
   */
  readonly message?: string | undefined;
  /** The file in the plugin's folder and the line, such as `index.js:3`. */
  readonly place?: string | undefined;
}

/** Everything known, as one clause for the operator. */
export function describeFailure({ reason, message = reason, place }: ImportFailure): string {
  return place === undefined ? message : `${message} (${place})`;
}
