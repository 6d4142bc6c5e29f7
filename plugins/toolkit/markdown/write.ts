/**
 * What would make a line the beginning of something other than a paragraph or a list: a heading, its underline, a quote,
 * a rule, a fence, HTML, the second row of a table, the definition of a link.
 */
const STARTS =
  /^ {0,3}(?=#{1,6}(?:\s|$)|>|=+[ \t]*$|(?:[-*_][ \t]*){3,}$|`{3,}[^`\n]*$|~~~|<[a-z/!?]|\|?[ \t]*:?-+:?[ \t]*(?:\||$)|\[[^\]\n]{1,99}\]:)/gim;
const SPACES = /[ \t\n\v\f\r]+/g;
const MAX_HEADINGS = 6;

/** A paragraph whose lines begin no other block. A line that begins like an item of a list is one. */
export function escapeBlockStarts(text: string): string {
  return text.replace(STARTS, '$&\\');
}

export function markdownHeading(level: number, text: string): string {
  const line = text.trim().replace(SPACES, ' ');
  return `${'#'.repeat(Math.min(level, MAX_HEADINGS))} ${line.replace(/ (?=#+$)/, ' \\')}`;
}

/** Code unchanged, in a fence that is longer than any in it. */
export function fencedCode(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

/** Text as it may be in a cell of a table: on one line, with its pipes escaped. */
export function escapeCell(text: string): string {
  return text.replace(SPACES, ' ').replaceAll('\\|', '\\&#124;').replaceAll('|', '\\|');
}

export function tableRow(cells: readonly string[]): string {
  const written = cells.map((cell) => escapeCell(cell.trim()));
  return `|${written.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`;
}

/** The row between the header of a table and its other rows. */
export function delimiterRow(columns: number): string {
  return `|${' - |'.repeat(columns)}`;
}

/**
 * Rows as a table, without padding, which would cost tokens, and without rows that have no text. Empty if none has any.
 *
 * @param header its cells, if they are not the first row
 */
export function markdownTable(rows: readonly (readonly string[])[], header?: readonly string[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [first = [], ...others] = header === undefined ? filled : [header, ...filled];
  const columns = others.reduce((most, { length }) => Math.max(most, length), first.length);
  const wide = [...first, ...new Array<string>(columns - first.length).fill('')];
  const lines = [tableRow(wide), delimiterRow(columns), ...others.map(tableRow)];
  return filled.length === 0 ? '' : lines.join('\n');
}
