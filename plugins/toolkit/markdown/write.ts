/** Starts of headings, their underlines, quotes, rules, fences, HTML, delimiter rows and link definitions. */
const STARTS =
  /^ {0,3}(?=#{1,6}(?:\s|$)|>|=+[ \t]*$|(?:[-*_][ \t]*){3,}$|`{3,}[^`\n]*$|~~~|<[a-z/!?]|\|?[ \t]*:?-+:?[ \t]*(?:\||$)|\[[^\]\n]{1,99}\]:)/gim;
const SPACES = /[ \t\n\v\f\r]+/g;
const MAX_HEADINGS = 6;

/** Escapes a paragraph so that none of its lines begins another block, except a list item. */
export function escapeBlockStarts(text: string): string {
  return text.replace(STARTS, '$&\\');
}

export function markdownHeading(level: number, text: string): string {
  const line = text.trim().replace(SPACES, ' ');
  return `${'#'.repeat(Math.min(level, MAX_HEADINGS))} ${line.replace(/ (?=#+$)/, ' \\')}`;
}

/** Puts code into a fence that is longer than any fence within. */
export function fencedCode(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

export function escapeCell(text: string): string {
  return text.replace(SPACES, ' ').replaceAll('\\|', '\\&#124;').replaceAll('|', '\\|');
}

export function tableRow(cells: readonly string[]): string {
  const written = cells.map((cell) => escapeCell(cell.trim()));
  return `|${written.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`;
}

export function delimiterRow(columns: number): string {
  return `|${' - |'.repeat(columns)}`;
}

/**
 * A table without empty rows, and without padding, which would cost tokens. Empty if all rows are empty.
 *
 * @param header by default the first row
 */
export function markdownTable(rows: readonly (readonly string[])[], header?: readonly string[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [first = [], ...others] = header === undefined ? filled : [header, ...filled];
  const columns = others.reduce((most, { length }) => Math.max(most, length), first.length);
  const wide = [...first, ...new Array<string>(columns - first.length).fill('')];
  const lines = [tableRow(wide), delimiterRow(columns), ...others.map(tableRow)];
  return filled.length === 0 ? '' : lines.join('\n');
}
