interface Paged {
  readonly text: string;
  /** Where pages begin in it. */
  readonly pages: number[];
}

const LEADING = /^\n*/;

/**
 * Takes the marks between pages out of a text. Where line breaks stand on both sides of one, the longer run of them is
 * left; nothing else is changed.
 */
export function cutPages(marked: string, mark: string): Paged {
  const parts = marked.split(mark);
  const pieces: string[] = [];
  const pages: number[] = [];
  let length = 0;
  let endsIn = '';
  for (const [index, part] of parts.entries()) {
    const isBehindMark = index > 0;
    const startsWith = isBehindMark ? (LEADING.exec(part)?.[0] ?? '') : '';
    const gap = startsWith.slice(Math.min(endsIn.length, startsWith.length));
    const rest = part.slice(startsWith.length);
    length += gap.length;
    pages.push(length);
    pieces.push(gap, rest);
    length += rest.length;
    endsIn = rest === '' ? endsIn + gap : trailing(rest);
  }
  return { text: pieces.join(''), pages };
}

/** The line breaks at the end of a text. */
function trailing(text: string): string {
  let start = text.length;
  while (text[start - 1] === '\n') start--;
  return text.slice(start);
}

const TITLE = /^\s*# +(\S.*)/;
const ESCAPED = /\\([!-/:-@[-`{-~])|&(amp|lt|gt);/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/** The heading of the first level that a document begins with, without what only Markdown needs. */
export function titleOf(markdown: string): string | undefined {
  const written = TITLE.exec(markdown)?.[1];
  return written?.trim().replace(ESCAPED, (_, sign?: string, name = '') => sign ?? ENTITIES[name] ?? '');
}
