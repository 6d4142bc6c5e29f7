import { escapeBlockStarts } from '../../toolkit/markdown/index.ts';

const LINE_BREAK = /\r\n?|\n/;
const MAY_BEGIN_BLOCK = /^ {0,3}[#=\-*_`~<|:[]/;

/** Plain text as Markdown with the same lines. Quoted lines stay quotations. */
export function plainMarkdown(text: string): string {
  const lines = text.split(LINE_BREAK).map((line) => {
    const written = line.trimEnd();
    return MAY_BEGIN_BLOCK.test(written) ? escapeBlockStarts(written) : written;
  });
  return withoutBlankEnds(lines.join('\n'));
}

export function withoutBlankEnds(text: string): string {
  const first = text.search(/\S/);
  return first === -1 ? '' : text.slice(text.lastIndexOf('\n', first) + 1).trimEnd();
}

/**
 * Joins the lines of `format=flowed` text (RFC 3676) to paragraphs.
 *
 * @param isSpaced whether the space at the end of a joined line is not part of the text (`DelSp=yes`)
 */
export function unflowed(text: string, isSpaced: boolean): string {
  const lines: string[] = [];
  let open: { readonly marks: string; readonly pieces: string[] } | undefined;
  const end = (): void => {
    if (open !== undefined) lines.push(`${open.marks}${open.marks === '' ? '' : ' '}${open.pieces.join('')}`);
    open = undefined;
  };
  for (const line of text.split(LINE_BREAK)) {
    const marks = /^>*/.exec(line)?.[0] ?? '';
    const content = line.slice(marks.length).replace(/^ /, '');
    if (open?.marks !== marks) end();
    const isFlowed = content.endsWith(' ') && content !== '-- ';
    if (content === '-- ') end();
    open ??= { marks, pieces: [] };
    open.pieces.push(isFlowed && isSpaced ? content.slice(0, -1) : content);
    if (!isFlowed) end();
  }
  end();
  return lines.join('\n');
}

/** Text of `text/enriched` (RFC 1896) without its commands. */
export function unenriched(text: string): string {
  return text
    .replace(/<param>[^<]*<\/param>/gi, '')
    .replace(/<(?!<)\/?[a-z0-9-]+>/gi, '')
    .replaceAll('<<', '<');
}
