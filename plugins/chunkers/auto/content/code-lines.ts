/** What begins a comment of several lines, or a documentation in one, with what it ends at. */
const COMMENTS: readonly (readonly [opening: RegExp, closing: RegExp])[] = [
  [/^\/\*/, /\*\//],
  [/^[a-z]{0,2}"""/i, /"""/],
  [/^[a-z]{0,2}'''/i, /'''/],
  [/^<!--/, /-->/],
  [/^=[a-z]\w+/, /^=cut\b/],
];
/** A comment of one line in most languages; it may be a heading or an item of a list too. */
const COMMENT = /^(\/\/|\*|#(?!\w)|--|;;|%%|\.\\")/;
/** A comment behind code. */
const TRAILING = /\s(#|\/\/|--|\/\*)\s.*$/;

/** The lines of a text that are neither blank nor comments of any language, trimmed and without comments at their ends. */
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

/** What the comment that begins in a line and does not end in it ends at; `undefined` if there is none. */
function commentFrom(line: string): RegExp | undefined {
  for (const [opening, closing] of COMMENTS) {
    const [begun] = opening.exec(line) ?? [];
    if (begun !== undefined) return closing.test(line.slice(begun.length)) ? undefined : closing;
  }
  return undefined;
}
