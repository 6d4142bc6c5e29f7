/** Line starts that begin a block: heading, underline, quote, rule, fence, HTML, delimiter row, link definition. */
const STARTS =
  /^ {0,3}(?=#{1,6}(?:\s|$)|>|=+[ \t]*$|(?:[-*_][ \t]*){3,}$|`{3,}[^`\n]*$|~~~|<[a-z/!?]|\|?[ \t]*:?-+:?[ \t]*(?:\||$)|\[[^\]\n]{1,99}\]:)/gim;
const SPACES = /[ \t\n\v\f\r]+/g;
const MAX_HEADINGS = 6;

/** Escapes a paragraph so that no line begins another block. List items are not escaped. */
export function escapeBlockStarts(text: string): string {
  return text.replace(STARTS, '$&\\');
}

export function markdownHeading(level: number, text: string): string {
  const line = text.trim().replace(SPACES, ' ');
  return `${'#'.repeat(Math.min(level, MAX_HEADINGS))} ${line.replace(/ (?=#+$)/, ' \\')}`;
}

/** Encloses code in a fence that is longer than all fences in the code. */
export function fencedCode(code: string, language = ''): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

const UNESCAPED = /[\t\n\v\f\r|]| {2}/;

export function escapeCell(text: string): string {
  if (!UNESCAPED.test(text)) return text;
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
 * Writes a table without padding, which would cost tokens. Leaves out empty rows; empty if all rows are empty.
 *
 * @param header default: the first row
 */
export function markdownTable(rows: readonly (readonly string[])[], header?: readonly string[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [first = [], ...others] = header === undefined ? filled : [header, ...filled];
  const columns = others.reduce((most, { length }) => Math.max(most, length), first.length);
  const wide = [...first, ...new Array<string>(columns - first.length).fill('')];
  const lines = [tableRow(wide), delimiterRow(columns), ...others.map(tableRow)];
  return filled.length === 0 ? '' : lines.join('\n');
}
