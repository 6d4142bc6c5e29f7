import type { JobCounts, SkipReason } from '../store/jobs/contract.ts';
import type { ChunkedDocument } from './chunk-documents.ts';
import { placeInWords, type Skip } from './shard.ts';

export type SkippedReasons = JobCounts['skipped'];

/** Counts files that were not read. Empty documents are excluded, because they were read. */
export function notRead({ empty: _, ...reasons }: SkippedReasons): number {
  return Object.values(reasons).reduce((sum, count) => sum + count, 0);
}

/** The id of a document that exists but was not read; undefined if the document is ignored or empty. */
export function unreadId({ skipped, id, place }: Pick<Skip, 'skipped' | 'id' | 'place'>): string | undefined {
  return skipped === 'ignored' || skipped === 'empty' ? undefined : (id ?? place.source);
}

/** Whether a folder was not read, so that any document may be in it. */
export function isUnreadFolder({ skipped, place }: Pick<Skip, 'skipped' | 'place'>): boolean {
  return skipped === 'unreadable' && place.source.endsWith('/');
}

/** The skip of a document without text; undefined if the document has chunks or failed. */
export function emptyOf({ source, id, chunks, error }: ChunkedDocument): Skip | undefined {
  if (chunks > 0 || error !== undefined) return undefined;
  return { place: source.place, id, skipped: 'empty', detail: 'It contains no text.', brief: 'are empty' };
}

/** Files that were skipped for the same reason. Plain data that the database keeps. */
export interface SkipGroup extends Pick<Skip, 'skipped' | 'brief'> {
  readonly count: number;
  readonly names: readonly string[];
}

const MAX_NAMES = 3;

export class Skips {
  readonly #groups = new Map<string, SkipGroup>();

  get groups(): readonly SkipGroup[] {
    return [...this.#groups.values()];
  }

  get count(): number {
    return notRead(this.reasons);
  }

  get reasons(): SkippedReasons {
    const reasons: { [R in SkipReason]?: number } = {};
    for (const { skipped, count } of this.groups) reasons[skipped] = (reasons[skipped] ?? 0) + count;
    return reasons;
  }

  add({ skipped, brief, id, place }: Skip): void {
    const name = id ?? placeInWords(place).replace(', ', ' ');
    this.addGroup({ skipped, brief, count: 1, names: [name] });
  }

  addGroup({ skipped, brief, count, names }: SkipGroup): void {
    const before = this.#groups.get(brief) ?? { count: 0, names: [] };
    const first = [...new Set([...before.names, ...names])].slice(0, MAX_NAMES);
    this.#groups.set(brief, { skipped, brief, count: before.count + count, names: first });
  }

  /** Example: `3 skipped: 2 need TIKA_URL (a.pdf, b.docx), 1 is binary (c.bin); 1 is empty (d.txt)`. */
  toString(): string {
    const skipped = this.groups.filter(isNotRead);
    const empty = this.groups.filter((one) => !isNotRead(one));
    const parts = skipped.length === 0 ? [] : [`${this.count} skipped: ${skipped.map(inWords).join(', ')}`];
    return [...parts, ...empty.map(inWords)].join('; ');
  }
}

function isNotRead({ skipped }: SkipGroup): boolean {
  return skipped !== 'empty';
}

function inWords({ brief, count, names }: SkipGroup): string {
  const more = count > names.length ? ', …' : '';
  return `${count} ${count === 1 ? singular(brief) : brief} (${names.join(', ')}${more})`;
}

function singular(brief: string): string {
  return brief.replace(/^\w+/, (verb) => VERBS[verb] ?? `${verb}s`);
}

const VERBS: Readonly<Record<string, string>> = { are: 'is', have: 'has' };

export function skipLine({ place, id, skipped, detail }: Skip): string {
  return `${JSON.stringify({ ...place, ...(id !== undefined && { id }), skipped, detail })}\n`;
}
