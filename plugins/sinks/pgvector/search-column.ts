import { embeddedText, type SinkChunk } from '../../../core/kit.ts';
import { isTooLong } from './errors.ts';

/** The column that words are searched by. PostgreSQL computes it, so that it never differs from the chunk. */
export interface SearchColumn {
  /** The table's quoted name. */
  readonly table: string;
  /** The text search configuration. */
  readonly language: string;
}

const NAME = 'search_text';

/** The words of what is embedded with `embed: context+text`: the same text as that of `embeddedText`. */
export function columnOf({ language }: SearchColumn): string {
  const words = `to_tsvector('${language}'::regconfig, coalesce(fields ->> 'context' || E'\\n', '') || text)`;
  return `${NAME} tsvector generated always as (${words}) stored`;
}

export const indexOf = ({ table }: SearchColumn): string => `on ${table} using gin (${NAME})`;

/** A column of a table that exists. */
export interface Column {
  readonly type: string;
  /** What computes it; null if nothing does. */
  readonly expression: string | null;
}

/**
 * Why words cannot be searched, with the two statements that change it: they rewrite and lock the table, which only its
 * owner can plan.
 *
 * @param found the column that has its name
 */
export function searchProblemOf(search: SearchColumn, found: Column | undefined): string | undefined {
  const { table, language } = search;
  if (found?.expression?.includes(`to_tsvector('${language}'::regconfig`)) return undefined;
  const [problem, drop] =
    found === undefined
      ? ['is missing', '']
      : [`is not computed for the language ${language}`, `drop column ${NAME}, `];
  const alteration = `alter table ${table} ${drop}add column ${columnOf(search)};`;
  const statements = `${alteration} create index concurrently ${indexOf(search)};`;
  return `the column ${NAME} ${problem}; choose another table, text_search: false, or run: ${statements}`;
}

interface Statement {
  readonly text: string;
  readonly values: readonly (readonly string[])[];
}

/**
 * The first chunk whose words exceed a `tsvector`, found by halving chunks of which at least one does.
 *
 * @param query runs a statement, which stores nothing
 */
export async function firstTooLong(
  search: SearchColumn,
  chunks: readonly SinkChunk[],
  query: (statement: Statement) => Promise<unknown>,
): Promise<SinkChunk> {
  const [first, ...others] = chunks as readonly [SinkChunk, ...SinkChunk[]];
  if (others.length === 0) return first;
  const half = chunks.slice(0, Math.ceil(chunks.length / 2));
  const words = `count(to_tsvector('${search.language}'::regconfig, given))`;
  const texts = half.map(({ text, fields }) => embeddedText(text, fields.context));
  const statement = { text: `select ${words} from unnest($1::text[]) as given`, values: [texts] };
  const hasIt = await query(statement).then(
    () => false,
    (error: unknown) => {
      if (isTooLong(error)) return true;
      throw error;
    },
  );
  return firstTooLong(search, hasIt ? half : chunks.slice(half.length), query);
}
