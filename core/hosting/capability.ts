import type { Manifest } from '../contracts/manifest.ts';

/** Whether a plugin needs a key: it then calls a server on the network, which may cost money. */
export function needsKey({ needs }: Manifest): boolean {
  return (needs?.env ?? []).length > 0;
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
