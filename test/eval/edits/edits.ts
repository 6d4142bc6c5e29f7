/** Edits of a text, as people make them. */

/** Gives the text with one change at the first place behind an offset that allows it. */
export type Edit = (text: string, offset: number) => string;

const LATIN = /[A-Za-z]/;
/** A word; of a script that writes none, a single character. */
const WORD = /\p{Script=Han}|[\p{L}\p{M}]+/gu;
/** A name that is no word of the language, as far as TypeScript and JavaScript have them. */
const NAME =
  /\b(?!(?:abstract|async|await|break|case|catch|class|const|continue|default|delete|else|enum|export|extends|finally|function|implements|import|instanceof|interface|null|private|protected|public|readonly|return|static|super|switch|this|throw|true|type|typeof|undefined|void|while|yield)\b)[a-z]\w{3,}\b/g;
/** A line of code, with the white space that it begins with. */
const LINE = /^([ \t]+)\w.*[\w;)](?=\n)/gm;

export const EDITS_OF_PROSE: Readonly<Record<string, Edit>> = {
  'a word is replaced': (text, offset) =>
    changed(text, offset, WORD, (word) => (LATIN.test(word) ? 'changed' : '改')),
  'a clause is added': (text, offset) =>
    changed(text, offset, WORD, (word) => word + (LATIN.test(word) ? ', as was said before,' : '，也是如此')),
};

export const EDITS_OF_CODE: Readonly<Record<string, Edit>> = {
  'a name is replaced': (text, offset) => changed(text, offset, NAME, () => 'changed'),
  'a line is added': (text, offset) =>
    changed(text, offset, LINE, (line, indent) => `${line}\n${indent}// It was changed.`),
};

/** @param replacement is given what was found, and its first group */
function changed(
  text: string,
  offset: number,
  pattern: RegExp,
  replacement: (found: string, group: string) => string,
): string {
  const search = new RegExp(pattern);
  search.lastIndex = offset;
  const match = search.exec(text);
  if (match === null) throw new Error(`nothing to edit behind ${offset}`);
  const [found, group = ''] = match;
  return text.slice(0, match.index) + replacement(found, group) + text.slice(match.index + found.length);
}
