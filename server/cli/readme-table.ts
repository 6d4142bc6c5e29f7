import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOptions } from '../config/help.ts';

const PAGE = join(import.meta.dirname, '..', 'OPTIONS.md');
const BEGIN = '<!-- options -->';
const END = '<!-- /options -->';

/** The options of the server as a Markdown table, for the place between the two marks of its page. */
export function optionsTable(): string {
  const rows = describeOptions().map(({ flag, variable, shown, description }) => {
    return row([code(flag), code(variable), shown.includes(' ') ? shown : code(shown), description]);
  });
  return [row(['Flag', 'Variable', 'Default', 'Meaning']), row(['---', '---', '---', '---']), ...rows].join(
    '\n',
  );
}

/**
 * The text of the page with the table between its marks.
 *
 * @throws Error if a mark is missing
 */
function withOptionsTable(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from)
    throw new Error(`OPTIONS.md: ${BEGIN} and ${END} are not in it, in this order`);
  return `${page.slice(0, from + BEGIN.length)}\n${optionsTable()}\n${page.slice(to)}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

if (import.meta.main) writeFileSync(PAGE, withOptionsTable(readFileSync(PAGE, 'utf8')));
