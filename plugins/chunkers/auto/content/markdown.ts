import type { Kit } from '../../../../core/kit.ts';

/** A heading as a paragraph of its own. */
const HEADING = /^#{1,6} \S.*\r?\n\r?\n/m;
/** A heading, link, emphasis or code in Markdown syntax. */
const MARK = /^#{1,6} \S|\[[^[\]\n]+\]\([^)\s]{1,500}\)|\*\*\S[^*\n]*\*\*|`[^`\n]+`/gm;
/** A list item, which plain texts may also have. */
const ITEM = /^[-*+] \S/gm;
/** Minimum marks and items in a text without a heading of its own, a fence or a table. */
const FEWEST = 2;

/** Whether a text is Markdown (`markdown`), only a Markdown table (`table`), or neither (`recursive`). */
export function proseOrMarkdown(sample: string, kit: Kit): 'markdown' | 'table' | 'recursive' {
  const blocks = kit.findMarkdownBlocks(sample);
  const tables = blocks.filter(({ kind }) => kind === 'table').length;
  if (tables > 0) return tables === blocks.length ? 'table' : 'markdown';
  if (blocks[0]?.kind === 'front_matter') return 'markdown';
  if (HEADING.test(sample)) return 'markdown';
  const marks = sample.match(MARK)?.length ?? 0;
  const items = sample.match(ITEM)?.length ?? 0;
  return marks > 0 && marks + items >= FEWEST ? 'markdown' : 'recursive';
}
