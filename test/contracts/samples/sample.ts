import type { Kind } from '../../../core/contracts/manifest.ts';

/** Plugins of a kind that keep their promises, and what makes them break each. */
export interface Sample {
  readonly kind: Kind;
  readonly title?: string;
  readonly manifest: object;
  /** The expression that a factory returns. */
  readonly good: string;
  /** What breaks a promise, and which one. */
  readonly bad: readonly (readonly [made: string, promise: RegExp])[];
}
