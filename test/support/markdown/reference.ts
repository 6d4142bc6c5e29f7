import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFootnoteFromMarkdown } from 'mdast-util-gfm-footnote';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmTable } from 'micromark-extension-gfm-table';

/** Another parser of Markdown, micromark, which says what is right. */

/** A block, in the terms of `MarkdownBlock`. */
export interface ReferenceBlock {
  readonly kind: string;
  /** Of a heading: 1 to 6; 0 of others. */
  readonly level: number;
  /** How many containers it lies in. */
  readonly depth: number;
  /** UTF-16 units `[start, end)`, from its first character to its last. */
  readonly start: number;
  readonly end: number;
}

const KINDS: Readonly<Record<string, string>> = {
  yaml: 'front_matter',
  toml: 'front_matter',
  heading: 'heading',
  paragraph: 'paragraph',
  html: 'html',
  table: 'table',
  thematicBreak: 'break',
  definition: 'definition',
  list: 'list',
  listItem: 'item',
  blockquote: 'quote',
  footnoteDefinition: 'footnote',
};

export function parseReference(text: string): Root {
  return fromMarkdown(text, {
    extensions: [frontmatter(['yaml', 'toml']), gfmTable(), gfmFootnote()],
    mdastExtensions: [
      frontmatterFromMarkdown(['yaml', 'toml']),
      gfmTableFromMarkdown(),
      gfmFootnoteFromMarkdown(),
    ],
  });
}

/** All blocks in the order of the text, containers before what they hold. */
export function referenceBlocks(text: string, root = parseReference(text)): ReferenceBlock[] {
  const blocks: ReferenceBlock[] = [];
  const visit = (node: Nodes, depth: number): void => {
    const kind = kindOf(node, text);
    if (kind !== undefined) blocks.push(blockOf(node, kind, depth));
    if (!('children' in node) || LEAVES.has(node.type)) return;
    for (const child of node.children) visit(child, kind === undefined ? depth : depth + 1);
  };
  visit(root, 0);
  return blocks;
}

const LEAVES = new Set(['heading', 'paragraph', 'table']);

function kindOf(node: Nodes, text: string): string | undefined {
  if (node.type !== 'code') return KINDS[node.type];
  const { start } = placeOf(node);
  return /^(?:`{3}|~{3})/.test(text.slice(start, start + 3)) ? 'fence' : 'indented';
}

function blockOf(node: Nodes, kind: string, depth: number): ReferenceBlock {
  return { kind, level: node.type === 'heading' ? node.depth : 0, depth, ...placeOf(node) };
}

/** Where a node stands. */
export function placeOf({ position }: Nodes) {
  if (position === undefined) throw new Error('a node without a position');
  return { start: position.start.offset as number, end: position.end.offset as number };
}
