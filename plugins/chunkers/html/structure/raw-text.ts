/** Elements whose content is text, whatever it looks like. */
const RAW = new Map(
  ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\s/>])`, 'gi'),
  ]),
);

/**
 * Where the raw text ends that stands behind an opening tag: before the closing tag, or with the text if there is none.
 *
 * @returns `start` if the element holds no raw text
 */
export function rawEnd(text: string, name: string, start: number): number {
  if (name === 'plaintext') return text.length;
  const close = RAW.get(name);
  if (close === undefined) return start;
  if (name === 'script') return scriptEnd(text, start);
  close.lastIndex = start;
  return close.exec(text)?.index ?? text.length;
}

const SCRIPT_MARKS = /<!--|-->|<(\/?)script(?=[\s/>])/gi;

/** A script ends at its closing tag, unless that closes a script which begins within `<!--` and `-->`. */
function scriptEnd(text: string, start: number): number {
  const marks = SCRIPT_MARKS;
  marks.lastIndex = start;
  let isComment = false;
  let isNested = false;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [whole, slash] = mark;
    if (whole === '<!--') {
      isComment = true;
      marks.lastIndex -= 2;
    } else if (slash === undefined) {
      isComment = false;
      isNested = false;
    } else if (slash === '') isNested ||= isComment;
    else if (isNested) isNested = false;
    else return mark.index;
  }
  return text.length;
}
