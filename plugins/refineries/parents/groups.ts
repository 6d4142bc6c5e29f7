import type { Chunk, DocumentInfo } from '../../../core/contracts/chunk.ts';
import { countUpTo } from '../../../core/engine/search.ts';
import type { ParentsOptions } from './manifest.ts';

/** Neighbours that may be in one parent, whatever its size: those of one section, page or document. */
export function groupsOf(
  chunks: readonly Chunk[],
  { by, level }: ParentsOptions,
  { pages }: DocumentInfo,
): readonly (readonly Chunk[])[] {
  const places = {
    section: (chunk: Chunk) => sectionOf(chunk, level),
    page: (chunk: Chunk) => pageOf(chunk, pages),
    size: () => null,
  };
  const groups: Chunk[][] = [];
  let last: string | undefined;
  for (const chunk of chunks) {
    const key = JSON.stringify([plain(chunk.document_id), places[by](chunk)]);
    if (key === last) groups.at(-1)?.push(chunk);
    else groups.push([chunk]);
    last = key;
  }
  return groups;
}

/** The first headings of a chunk; none if it has no list of them. */
function sectionOf({ heading_path }: Chunk, level: number): readonly unknown[] {
  return Array.isArray(heading_path) ? heading_path.slice(0, level).map(plain) : [];
}

/** The page on which a chunk begins, from 1: by the pages of its document, else as the chunk says. */
function pageOf({ start_index, first_page }: Chunk, pages: readonly number[] | undefined): unknown {
  return pages === undefined ? plain(first_page) : countUpTo(pages, start_index);
}

/** A string or a number; null for any other field of a request, which may be nested without end. */
function plain(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
