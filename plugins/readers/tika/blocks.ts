/** What would begin another block at the start of a line: a heading, its underline, a fence, HTML. */
const MARKS = /^(?=#{1,6}(?:\s|$)|(?:=+|-+)[ \t]*$|```|~~~|<[a-z/!?])/gim;
const SPACE = /\s+/g;

/** The lines of a paragraph, which begin no other block. @param indent put before each but the first */
export function paragraph(text: string, indent = ''): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim());
  return lines.join('\n').replace(MARKS, '\\').replaceAll('\n', `\n${indent}`);
}

export const heading = (level: number, text: string): string =>
  `${'#'.repeat(level)} ${text.trim().replace(SPACE, ' ')}`;

/** Code as it is, in a fence that is longer than any within it. */
export function fence(code: string): string {
  const ticks = (code.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const mark = '`'.repeat(ticks + 1);
  return `${mark}\n${code.replace(/^\n|\n$/g, '')}\n${mark}`;
}

/** The first row is the header, and as wide as the widest. Nothing if no cell has text. */
export function table(rows: readonly (readonly string[])[]): string | undefined {
  const cells = rows.map((row) => row.map((cell) => cell.trim().replace(SPACE, ' ')));
  const filled = cells.filter((row) => row.some((cell) => cell !== ''));
  const [header, ...others] = filled;
  if (header === undefined) return undefined;
  const width = filled.reduce((most, { length }) => Math.max(most, length), 0);
  const wide = [...header, ...new Array<string>(width - header.length).fill('')];
  return [line(wide), line(wide.map(() => '---')), ...others.map(line)].join('\n');
}

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
