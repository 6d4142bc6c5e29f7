import type { Heading } from '../../../core/engine/heading-paths.ts';
import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';

/** Characters of a heading that its name is made of, and that the name has at most: every chunk repeats it. */
const MOST_READ = 1000;
const LONGEST_NAME = 200;

/** The headings that make sections: those in lists and quotes do not. */
export function headingsOf(text: string, blocks: readonly MarkdownBlock[]): Heading[] {
  const headings: Heading[] = [];
  blocks.forEach((block, index) => {
    if (!makesSection(block)) return;
    const next = blocks[index + 1];
    headings.push({
      // Blank lines at the beginning of the text stand above nothing.
      start: index === 0 ? 0 : block.start,
      level: block.level,
      isLead: next !== undefined && makesSection(next) && next.level > block.level,
      name: () => nameOf(text, block),
    });
  });
  return headings;
}

function makesSection({ kind, depth }: MarkdownBlock): boolean {
  return kind === 'heading' && depth === 0;
}

/** The words of a heading, without its marks and without inline syntax. */
function nameOf(text: string, { inner, end }: MarkdownBlock): string {
  const source = text.slice(inner, Math.min(end, inner + MOST_READ)).trimEnd();
  const isAtx = /^#{1,6}(?:[ \t]|$)/.test(source);
  const words = isAtx
    ? source.replace(/^#+[ \t]*/, '').replace(/(?:^|[ \t])#+$/, '')
    : source.replace(/[\r\n]+[^\r\n]*$/, '');
  return plainWords(words).slice(0, LONGEST_NAME).toWellFormed();
}

const CODE = /(?<!`)(`+)(?!`)([^`]+)\1(?!`)/g;

/** Inline Markdown as its words: links and images by their text, without marks of emphasis or code and without tags. */
function plainWords(words: string): string {
  let plain = '';
  let at = 0;
  for (const code of words.matchAll(CODE)) {
    plain += `${withoutMarks(words.slice(at, code.index))}${code[2]}`;
    at = code.index + code[0].length;
  }
  return (plain + withoutMarks(words.slice(at))).replace(/\s+/g, ' ').trim();
}

const LINK = /!?\[((?:[^[\]\\]|\\.)*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])/g;
const NOTE = /\[\^[^[\]\s]+\]/g;
const TAG = /<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi;
const EMPHASIS = /(?<=\S)(?:\*+|~~)|(?:\*+|~~)(?=\S)|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)/g;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

function withoutMarks(words: string): string {
  // An image within a link is a link within a link.
  const named = words.replace(TAG, '').replace(NOTE, '').replace(LINK, '$1').replace(LINK, '$1');
  return named.replace(EMPHASIS, '').replace(ESCAPE, '$1');
}
