import type { Kit } from '../../../../core/kit.ts';

/** A heading, link, emphasis or code as Markdown writes it. */
const MARKS = /^#{1,6} \S|\[[^[\]\n]+\]\([^)\s]+\)|\*\*\S[^*\n]*\*\*|`[^`\n]+`/gm;
/** Fewest marks in a text without a fence or table. */
const FEWEST = 2;

/** Whether lines that are no comments have a fence, which nothing but Markdown begins a line with. */
export function hasFence(lines: readonly string[]): boolean {
  return lines.some((line) => /^(```|~~~)/.test(line));
}

/** Whether a text is Markdown (`markdown`), a Markdown table and nothing else (`table`), or neither (`recursive`). */
export function proseOrMarkdown(sample: string, kit: Kit): 'markdown' | 'table' | 'recursive' {
  const blocks = kit.findMarkdownBlocks(sample);
  const tables = blocks.filter(({ kind }) => kind === 'table').length;
  if (tables > 0) return tables === blocks.length ? 'table' : 'markdown';
  if (blocks[0]?.kind === 'front_matter') return 'markdown';
  return (sample.match(MARKS)?.length ?? 0) >= FEWEST ? 'markdown' : 'recursive';
}
