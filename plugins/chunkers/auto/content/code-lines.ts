/** The beginnings of multi-line comments, or documentation on one line, with their ends. */
const COMMENTS: readonly (readonly [opening: RegExp, closing: RegExp])[] = [
  [/^\/\*/, /\*\//],
  [/^[a-z]{0,2}"""/i, /"""/],
  [/^[a-z]{0,2}'''/i, /'''/],
  [/^<!--/, /-->/],
  [/^=[a-z]\w+/, /^=cut\b/],
];
/** A one-line comment in most languages; it may also be a heading or a list item. */
const COMMENT = /^(\/\/|\*|#(?!\w)|--|;;|%%|\.\\")/;
/** A comment after code. */
const TRAILING = /\s(#|\/\/|--|\/\*)\s.*$/;

/** The lines of a text that are neither blank nor comments of any language, trimmed and without trailing comments. */
export function codeLines(sample: string): string[] {
  let closing: RegExp | undefined;
  return sample.split('\n').flatMap((whole) => {
    const line = whole.trim();
    if (closing !== undefined) {
      if (closing.test(line)) closing = undefined;
      return [];
    }
    closing = commentFrom(line);
    return line === '' || closing !== undefined || isComment(line)
      ? []
      : [line.replace(TRAILING, '').trimEnd()];
  });
}

function isComment(line: string): boolean {
  return COMMENT.test(line) || COMMENTS.some(([opening]) => opening.test(line));
}

/** The end marker of a comment that begins in a line and does not end in it; `undefined` if there is none. */
function commentFrom(line: string): RegExp | undefined {
  for (const [opening, closing] of COMMENTS) {
    const [begun] = opening.exec(line) ?? [];
    if (begun !== undefined) return closing.test(line.slice(begun.length)) ? undefined : closing;
  }
  return undefined;
}
