import type { Chunk, DocumentInfo } from '../../../core/contracts/chunk.ts';
import type { RefineTools } from '../../../core/contracts/refinery.ts';
import { firstWords, lastWords } from './excerpts.ts';
import type { Value } from './template.ts';

/** A chunk among the others of its document. */
export interface Place {
  readonly chunk: Chunk;
  readonly previous: Chunk | undefined;
  readonly next: Chunk | undefined;
}

/** What values are made from besides the chunk. */
export interface Sources {
  readonly document: DocumentInfo;
  /** What stands between headings. */
  readonly separator: string;
  readonly join: RefineTools['join'];
}

/** A value that is the same for all chunks of the document; `undefined` for one that is not. */
export function sharedValue(
  { name, argument }: Value,
  { title, id, metadata }: DocumentInfo,
): string | undefined {
  if (name === 'title') return title ?? '';
  if (name === 'id') return id;
  return name === 'metadata' && metadata !== undefined
    ? textOf(memberOf(metadata, argument), ', ')
    : undefined;
}

/** A value that is the chunk's own; empty if it has none. */
export function ownValue({ name, argument }: Value, place: Place, { separator, join }: Sources): string {
  const { chunk, previous, next } = place;
  switch (name) {
    case 'id':
      return textOf(chunk.document_id, '');
    case 'metadata':
      return textOf(memberOf(chunk.metadata, argument), ', ');
    case 'heading_path':
      return textOf(chunk.heading_path, separator);
    case 'context':
      return textOf(chunk.context, '');
    case 'previous': {
      if (previous === undefined) return '';
      // Joined, so that what the two repeat of each other is left out.
      const { text } = join([previous, chunk]);
      return lastWords(text.slice(0, Math.max(text.length - chunk.text.length, 0)), Number(argument));
    }
    case 'next':
      if (next === undefined) return '';
      return firstWords(join([chunk, next]).text.slice(chunk.text.length), Number(argument));
    default:
      return '';
  }
}

/** The text of a string, a number or a truth value, or of a list of them; anything else has none. */
function textOf(value: unknown, separator: string): string {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((one) => ['string', 'number', 'boolean'].includes(typeof one) && one !== '')
    .join(separator);
}

/** The member at a path of names with dots between them. */
function memberOf(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (isObject(inner, name) ? inner[name] : undefined), value);
}

function isObject(value: unknown, member: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member);
}
