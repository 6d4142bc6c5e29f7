import type { Span } from '../../../core/contracts/chunk.ts';
import type { Carried } from '../../../core/contracts/structure.ts';
import { countUpTo } from '../../../core/engine/search.ts';
import { withFields } from '../../../core/engine/span-fields.ts';
import type { Kit } from '../../../core/kit.ts';
import type { HtmlOptions } from './manifest.ts';
import { at, within } from './stretches.ts';
import type { HtmlStructure } from './structure/find-structure.ts';
import type { Table } from './structure/tables.ts';

type Path = readonly string[];

/** Says of the chunks of one text what stands in them and what they stand in. */
export interface Describer {
  /** What a chunk that begins at an offset carries. */
  carriedAt(start: number): Carried | undefined;
  /** A chunk with its fields. */
  describe(span: Span): Span;
}

export function createDescriber(
  kit: Kit,
  text: string,
  structure: HtmlStructure,
  carry: HtmlOptions['carry'],
): Describer {
  const { headings, tables, contents } = structure;
  const paths = kit.headingPaths(headings);
  const named = memoized((path: Path) => (path.includes('') ? path.filter((name) => name !== '') : path));
  const headerOf = memoized(({ start, headerEnd }: Table) => text.slice(start, headerEnd).trimEnd());

  return {
    carriedAt(start) {
      const table = carry.includes('header') ? tableAround(tables, start) : undefined;
      const path = carry.includes('headings') ? named(paths.above(start)) : undefined;
      if (table === undefined && path === undefined) return undefined;
      return { path, opening: table && headerOf(table) };
    },
    describe(span) {
      const { start, end } = span;
      const own = {
        heading_path: named(paths.within(start, end)),
        kinds: contents.kindsIn(start, end),
        rows: rowsIn(tables, start, end),
      };
      return withFields(span, span.extra === undefined ? own : { ...own, ...span.extra });
    },
  };
}

/** A function that is asked once for each object. */
function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

/** The table whose rows go on at an offset, if it has a header. */
function tableAround(tables: readonly Table[], offset: number): Table | undefined {
  const table = at(tables, offset);
  const isBehindHeader = table !== undefined && table.headerEnd > table.start && offset >= table.headerEnd;
  return isBehindHeader ? table : undefined;
}

/** The first and last row in a stretch, from 1, if all its rows are of one table. */
function rowsIn(tables: readonly Table[], start: number, end: number): [number, number] | undefined {
  const [table, ...others] = within(tables, start, end);
  if (table === undefined || others.length > 0) return undefined;
  const last = countUpTo(table.rows, end - 1);
  const first = Math.max(countUpTo(table.rows, start), 1);
  return last === 0 ? undefined : [first, last];
}
