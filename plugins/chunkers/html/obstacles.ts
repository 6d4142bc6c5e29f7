import type { Span } from '../../../core/contracts/chunk.ts';
import type { CutFinder } from '../../../core/contracts/chunker.ts';
import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { countUpTo } from '../../../core/engine/search.ts';
import { MarkupReader } from './structure/markup.ts';

/** What is not cut in a stretch of HTML. */
export interface Obstacles {
  /** Rising stretches that are not cut: tags, comments, entities, and what is given. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Between inline elements: before their opening and behind their closing tags. */
  readonly between: readonly number[];
}

const ENTITY = /&(?:#\d{1,9}|#[xX][\da-fA-F]{1,9}|[a-zA-Z][a-zA-Z\d]{0,31});?/g;

/**
 * Finds the obstacles of a stretch that begins in text.
 *
 * @param others rising stretches that are not to be cut, nor to be cut off
 */
export function findObstacles(text: string, start: number, end: number, others: readonly Span[]): Obstacles {
  const collector = new Collector(others);
  const part = text.slice(start, end);
  const reader = new MarkupReader(part);
  let behind = 0;
  while (reader.read()) {
    collector.addEntities(part.slice(behind, reader.start), start + behind);
    collector.add(start + reader.start, start + reader.end);
    collector.between.push(start + (reader.isClosing || reader.name === '' ? reader.end : reader.start));
    behind = reader.end;
  }
  collector.addEntities(part.slice(behind), start + behind);
  collector.addOthers(end);
  return collector;
}

class Collector implements Obstacles {
  readonly #others: readonly Span[];
  #nextOther = 0;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly between: number[] = [];

  constructor(others: readonly Span[]) {
    this.#others = others;
  }

  /** @param start where the text stands in the whole */
  addEntities(text: string, start: number): void {
    if (!text.includes('&')) return;
    for (const { index, 0: entity } of text.matchAll(ENTITY)) {
      this.add(start + index, start + index + entity.length);
    }
  }

  add(start: number, end: number): void {
    this.addOthers(start);
    this.#push(start, end);
  }

  /** Adds those of the others that begin up to an offset. */
  addOthers(offset: number): void {
    for (
      let other = this.#others[this.#nextOther];
      other !== undefined;
      other = this.#others[this.#nextOther]
    ) {
      if (other.start > offset) break;
      // The end is not to be cut either.
      this.#push(other.start, other.end + 1);
      this.#nextOther++;
    }
  }

  #push(start: number, end: number): void {
    const last = this.ends.length - 1;
    const lastEnd = this.ends[last] ?? -1;
    if (start < lastEnd) this.ends[last] = Math.max(lastEnd, end);
    else {
      this.starts.push(start);
      this.ends.push(end);
    }
  }
}

keepOptimised(new Collector([]));

/** Leaves out the cuts of a finder that lie within obstacles. */
export function sparing(find: CutFinder, { starts, ends }: Obstacles): CutFinder {
  return (text, start, end) => {
    const cuts = find(text, start, end);
    let next = countUpTo(ends, start);
    return cuts.filter((cut) => {
      while ((ends[next] ?? Number.POSITIVE_INFINITY) <= cut) next++;
      return (starts[next] ?? Number.POSITIVE_INFINITY) >= cut;
    });
  };
}
