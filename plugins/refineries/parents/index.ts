import { hash } from 'node:crypto';
import {
  type Chunk,
  countUpTo,
  type DocumentInfo,
  type RefineContext,
  type Refinery,
} from '../../../core/kit.ts';
import { toUuid } from '../../toolkit/uuid.ts';
import type { ParentsOptions } from './manifest.ts';

export default function createParentsRefinery(): Refinery<ParentsOptions, 'tokenizer'> {
  return {
    refine(chunks, options, context) {
      const { document, join, signal } = context;
      const idOf = createIds();
      return groupsOf(chunks, options, document)
        .flatMap((group) => runsOf(group, options.parent_size, context))
        .flatMap((run) => {
          signal.throwIfAborted();
          const parent = join(run);
          const parent_id = idOf(document.id ?? parent.document_id, parent.text);
          return run.map((chunk, index) => withParent(chunk, index, parent, parent_id));
        });
    },
  };
}

/**
 * Divides consecutive chunks into parents of at most `parentSize` tokens, counting overlapping text once.
 * Each parent has as many chunks as fit, at least one.
 */
function runsOf(
  group: readonly Chunk[],
  parentSize: number,
  { tokenizer, join, signal }: RefineContext<'tokenizer'>,
): readonly (readonly Chunk[])[] {
  const sizeOf = ({ text }: Chunk) => {
    signal.throwIfAborted();
    return tokenizer.tokenize(text).count(0, text.length);
  };
  const sizes = group.map(sizeOf);
  const lengthFrom = (start: number): number => {
    if ((sizes[start] ?? 0) > parentSize) return 1;
    const fits = (count: number) => sizeOf(join(group.slice(start, start + count))) <= parentSize;
    return longest(group.length - start, guess(sizes, start, parentSize), fits);
  };
  const runs: Chunk[][] = [];
  for (let start = 0; start < group.length; start += runs.at(-1)?.length ?? 1)
    runs.push(group.slice(start, start + lengthFrom(start)));
  return runs;
}

function withParent(chunk: Chunk, index: number, parent: Chunk, parent_id: string): Chunk {
  const { parent_text: _, ...own } = chunk;
  return {
    ...own,
    parent_id,
    parent_start_index: parent.start_index,
    parent_end_index: parent.end_index,
    ...(index === 0 && { parent_text: parent.text }),
  };
}

/**
 * Returns a function that creates ids for the parents of one list of chunks: UUIDs of version 8 (RFC 9562).
 * An id is the start of a SHA-256 over the document id, the text, and the number of earlier parents with the
 * same text. An edit therefore keeps the ids of other parents, and repeated passages have different ids.
 */
function createIds(): (documentId: unknown, text: string) => string {
  const seen = new Map<string, number>();
  return (documentId, text) => {
    const id = typeof documentId === 'string' ? documentId : null;
    const seed = hash('sha256', `${JSON.stringify(['parent', id])}\n${text}`, 'hex');
    const before = seen.get(seed) ?? 0;
    seen.set(seed, before + 1);
    return toUuid(hash('sha256', `${seed} ${before}`, 'hex'));
  };
}

function groupsOf(
  chunks: readonly Chunk[],
  { by, level }: ParentsOptions,
  { pages }: DocumentInfo,
): readonly (readonly Chunk[])[] {
  const keys = {
    section: (chunk: Chunk) => sectionOf(chunk, level),
    page: (chunk: Chunk) => pageOf(chunk, pages),
    size: () => null,
  };
  const groups: Chunk[][] = [];
  let last: string | undefined;
  for (const chunk of chunks) {
    const key = JSON.stringify([plain(chunk.document_id), keys[by](chunk)]);
    if (key === last) groups.at(-1)?.push(chunk);
    else groups.push([chunk]);
    last = key;
  }
  return groups;
}

function sectionOf({ heading_path }: Chunk, level: number): readonly unknown[] {
  return Array.isArray(heading_path) ? heading_path.slice(0, level).map(plain) : [];
}

/** The page on which a chunk begins, from 1; `first_page` if the pages of the document are unknown. */
function pageOf({ start_index, first_page }: Chunk, pages: readonly number[] | undefined): unknown {
  return pages === undefined ? plain(first_page) : countUpTo(pages, start_index);
}

/** Replaces all but strings and numbers by null: values in a request may be nested arbitrarily deep. */
function plain(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function guess(sizes: readonly number[], start: number, most: number): number {
  let end = start;
  let sum = 0;
  while (end < sizes.length && sum + (sizes[end] ?? 0) <= most) sum += sizes[end++] ?? 0;
  return end - start;
}

/**
 * The largest number from 1 to `most` that fits; all smaller numbers must fit, too. The search starts at
 * `guessed` with growing steps, so an exact guess needs two tests.
 */
function longest(most: number, guessed: number, fits: (count: number) => boolean): number {
  let good = 1;
  let bad = most + 1;
  let at = Math.min(Math.max(guessed, 2), most);
  for (let step = 1; good + 1 < bad; step *= 2) {
    if (fits(at)) good = at;
    else bad = at;
    if (bad > most) at = Math.min(good + step, most);
    else if (good === 1) at = Math.max(bad - step, 2);
    else at = (good + bad) >> 1;
  }
  return good;
}
