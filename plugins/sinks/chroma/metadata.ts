import type { SinkChunk } from '../../../core/contracts/sink.ts';

type Scalar = string | number | boolean;
/** Metadata as Chroma stores it; null takes a value away. */
export type Metadata = Readonly<Record<string, Scalar | null>>;

/**
 * The fields of a chunk but its text and vector: lists and objects as JSON, since Chroma stores none, and no nulls.
 *
 * @param before what is stored under its id: Chroma merges, so that what a chunk no longer has is taken away by null
 */
export function metadataOf({ document_id, fields }: SinkChunk, before: Metadata = {}): Metadata {
  const gone = Object.keys(before).map((name): [string, null] => [name, null]);
  const own = Object.entries(fields).map(([name, value]): [string, Scalar | null] => [name, scalarOf(value)]);
  const whole = Object.fromEntries([...gone, ...own, ['document_id', document_id] as const]);
  const isSent = ([name, value]: [string, unknown]) => value !== null || Object.hasOwn(before, name);
  return Object.fromEntries(Object.entries(whole).filter(isSent));
}

function scalarOf(value: unknown): Scalar | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}
