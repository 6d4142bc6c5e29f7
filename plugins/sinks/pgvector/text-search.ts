/** The SQL of text search: what the words of a text are, and the function that searches a table. */

/** The column with the words of a chunk. */
export const SEARCH_TEXT = 'search_text';

/**
 * Characters of scripts that write no spaces between words, and of Korean: Thai, Lao, Myanmar, Hangul, Khmer, Kana and
 * Han in the Basic Multilingual Plane. PostgreSQL takes a run of such characters for one word.
 */
const UNSPACED = [
  ['0e01', '0eff'],
  ['1000', '109f'],
  ['1100', '11ff'],
  ['1780', '17ff'],
  ['3041', '30ff'],
  ['3400', '4dbf'],
  ['4e00', '9fff'],
  ['ac00', 'd7af'],
  ['f900', 'faff'],
]
  .map(([first, last]) => `\\u${first}-\\u${last}`)
  .join('');

/**
 * SQL for the words of a text, a `tsvector`. A run of an unspaced script gives as words its pairs of neighbouring
 * characters and its last character. Two passes find the pairs that begin at even places and those at odd places.
 *
 * @param text an SQL expression
 */
export function wordsOf(language: string, text: string): string {
  const inPairs = (given: string) =>
    `regexp_replace(${given}, '([${UNSPACED}][${UNSPACED}]?)', ' \\1 ', 'g')`;
  const withoutFirsts = `regexp_replace(${text}, '[^${UNSPACED}]+[${UNSPACED}]?|^[${UNSPACED}]', ' ', 'g')`;
  return `to_tsvector('${language}'::regconfig, ${inPairs(text)} || ' ' || ${inPairs(withoutFirsts)})`;
}

/** How the words of a table are searched. PostgreSQL computes their column, so that it always matches the chunk. */
export interface TextSearch {
  /** The quoted name of the table, including the schema. */
  readonly table: string;
  readonly language: string;
  /** The quoted name of the search function, including the schema; undefined if the table has none. */
  readonly searcher: string | undefined;
  /** Whether the table has vectors of pgvector. Without them, the function ranks by words alone. */
  readonly hasVectors: boolean;
}

/** The definition of the column. It indexes the text that `embeddedText` returns. */
export function columnOf({ language }: TextSearch): string {
  const words = wordsOf(language, "(coalesce(fields ->> 'context' || E'\\n', '') || text)");
  return `${SEARCH_TEXT} tsvector generated always as (${words}) stored`;
}

export const indexOf = ({ table }: TextSearch): string => `on ${table} using gin (${SEARCH_TEXT})`;

/**
 * The message for a table without word search: the reason, and the statements that add the search column.
 * Undefined if words can be searched. The statements rewrite and lock the table, so its owner must run them.
 *
 * @param found an existing column with the same name, and its expression if it is computed
 */
export function searchProblemOf(
  search: TextSearch,
  found: { readonly expression: string | null } | undefined,
): string | undefined {
  const { table, language } = search;
  if (found?.expression?.includes(`to_tsvector('${language}'::regconfig`)) return undefined;
  const signature = signatureOf(search);
  const outdated = signature === undefined ? '' : `drop function if exists ${signature}; `;
  const [problem, drop, before] =
    found === undefined
      ? ['is missing', '', '']
      : [`is not computed for the language ${language}`, `drop column ${SEARCH_TEXT}, `, outdated];
  const alteration = `alter table ${table} ${drop}add column ${columnOf(search)};`;
  const statements = `${before}${alteration} create index concurrently ${indexOf(search)};`;
  return `the column ${SEARCH_TEXT} ${problem}; choose another table, text_search: false, or run: ${statements}`;
}

/** The name and the types of the search function, if the table has one. */
export function signatureOf({ searcher, hasVectors }: TextSearch): string | undefined {
  return searcher && `${searcher}(text${hasVectors ? ', vector' : ''}, integer, jsonb)`;
}

/** Length of each of the two lists whose ranks are fused. */
const LISTED = 100;

/** Maximum chunks that are ranked for the words of a question. The rarest words come first; others are left out. */
const MAX_RANKED = 50_000;

/**
 * SQL that creates the search function. A chunk's words are worth the inverse document frequency of BM25, times
 * `ts_rank`, which itself knows no frequencies of documents. Words and vectors are fused by their reciprocal ranks.
 */
export function creationOfSearch({ table, searcher, language, hasVectors }: TextSearch): string {
  const [results, filter] = hasVectors ? ['$3', '$4'] : ['$2', '$3'];
  const matching = (word: string) => `${table} as chunk where ${SEARCH_TEXT} @@ ${word}`;
  const dense = `
  by_vector as (
    select id, row_number() over (order by distance, id) as rank from (
      select id, embedding <=> $2 as distance from ${table}
      where $2 is not null and fields @> ${filter} order by distance limit ${LISTED}
    ) as nearest
  ),`;
  return `
create function ${searcher}(question text, ${hasVectors ? 'embedding vector, ' : ''}results integer default 5, filter jsonb default '{}')
returns table (id uuid, document_id text, text text, fields jsonb, score double precision)
language sql stable as $search$
  with ${hasVectors ? dense : ''}
  asked as (
    select word, (select count(*) from (select from ${matching('word')} limit ${MAX_RANKED + 1}) as matching) as chunks
    from (
      select ltrim(quote_literal(lexeme), ' E')::tsquery as word
      from unnest(tsvector_to_array(${wordsOf(language, '$1')})) as lexeme
    ) as words
  ), rarest as (
    select word, ln(1 + (total - chunks + 0.5) / (chunks + 0.5)) as weight
    from (select *, sum(chunks) over (order by chunks, word) as ranked from asked) as counted,
      (select count(*) as total from ${table}) as all_chunks
    where ranked <= ${MAX_RANKED}
  ), by_words as (
    select id, row_number() over (order by sum(weight * ts_rank(${SEARCH_TEXT}, word, 1)) desc, id) as rank
    from rarest, ${matching('word')} and fields @> ${filter} group by id order by rank limit ${LISTED}
  ), fused as (
    select id, sum(1.0 / (1 + rank)) as score
    from (select * from by_words${hasVectors ? ' union all select * from by_vector' : ''}) as lists group by id
  )
  select id, chunk.document_id, chunk.text, chunk.fields, fused.score::double precision
  from fused join ${table} as chunk using (id) order by fused.score desc, id limit ${results}
$search$`;
}
