import type { Heading } from '../../../core/engine/heading-paths.ts';
import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';

/** Characters of a heading that its name is made of, and that the name has at most: every chunk repeats it. */
const MOST_READ = 1000;
const LONGEST_NAME = 200;

/** The headings that make sections: those in lists and quotes do not. */
export function headingsOf(text: string, blocks: readonly MarkdownBlock[]): Heading[] {
  const headings: Heading[] = [];
  const isDefined = labelsIn(text, blocks);
  for (const [index, block] of blocks.entries()) {
    if (!makesSection(block)) continue;
    const next = blocks[index + 1];
    headings.push({
      // Blank lines at the beginning of the text stand above nothing.
      start: index === 0 ? 0 : block.start,
      level: block.level,
      isLead: next !== undefined && makesSection(next) && next.level > block.level,
      name: () => nameOf(text, block, isDefined),
    });
  }
  return headings;
}

function makesSection({ kind, depth }: MarkdownBlock): boolean {
  return kind === 'heading' && depth === 0;
}

/** The words of a heading, without its marks and without inline syntax. */
function nameOf(text: string, { inner, end }: MarkdownBlock, isDefined: IsDefined): string {
  const source = text.slice(inner, Math.min(end, inner + MOST_READ)).trimEnd();
  const isAtx = /^#{1,6}(?:[ \t]|$)/.test(source);
  const words = isAtx
    ? source.replace(/^#+[ \t]*/, '').replace(/(?:^|[ \t])#+$/, '')
    : source.replace(/[\r\n]+[^\r\n]*$/, '');
  return plainWords(words, isDefined).slice(0, LONGEST_NAME).toWellFormed();
}

const SPACES = /\s+/g;
/** What inline syntax begins with. */
const MARKS = /[[*_~<\\`]/;
const CODE = /(?<!`)(`+)(?!`)([^`]+)\1(?!`)/g;

/** Whether a label is that of a link definition. */
type IsDefined = (label: string) => boolean;

function labelsIn(text: string, blocks: readonly MarkdownBlock[]): IsDefined {
  let labels: Set<string> | undefined;
  return (label) => {
    labels ??= new Set(
      blocks.flatMap((block) => (block.kind === 'definition' ? normalLabel(labelOf(text, block)) : [])),
    );
    return labels.has(normalLabel(label));
  };
}

function labelOf(text: string, { inner, end }: MarkdownBlock): string {
  return /^\[((?:[^\]\\]|\\.)*)\]/.exec(text.slice(inner, Math.min(end, inner + MOST_READ)))?.[1] ?? '';
}

function normalLabel(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Inline Markdown as its words: links and images by their text, without marks of emphasis or code and without tags. */
function plainWords(words: string, isDefined: IsDefined): string {
  if (!MARKS.test(words)) return words.replace(SPACES, ' ').trim();
  let plain = '';
  let at = 0;
  for (const code of words.matchAll(CODE)) {
    plain += `${withoutMarks(words.slice(at, code.index), isDefined)}${code[2]}`;
    at = code.index + code[0].length;
  }
  return (plain + withoutMarks(words.slice(at), isDefined)).replace(SPACES, ' ').trim();
}

const LINK = /!?\[((?:[^[\]\\]|\\.)*)\]\((?:[^()]|\([^()]*\))*\)/g;
const REFERENCE = /(?<!\])!?\[((?:[^[\]\\]|\\.)*)\](?:\[([^[\]]*)\])?/g;
const NOTE = /\[\^[^[\]\s]+\]/g;
const TAG = /<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi;
const EMPHASIS = /(?<!\\)(?:(?<=\S)(?:\*+|~~)|(?:\*+|~~)(?=\S)|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w))/g;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

function withoutMarks(words: string, isDefined: IsDefined): string {
  const linked = (all: string, named: string, label = '') =>
    isDefined(label === '' ? named : label) ? named : all;
  let plain = words.replace(TAG, '').replace(NOTE, '');
  // An image within a link is a link within a link.
  for (let depth = 0; depth < 2; depth++) plain = plain.replace(LINK, '$1').replace(REFERENCE, linked);
  return plain.replace(EMPHASIS, '').replace(ESCAPE, '$1');
}
