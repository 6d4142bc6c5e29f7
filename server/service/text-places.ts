/** Where the lines of a text begin, in UTF-16 units, without the first. LF, CRLF and CR end lines. */
export function lineStarts(text: string): number[] {
  const starts: number[] = [];
  let [lf, cr] = [text.indexOf('\n'), text.indexOf('\r')];
  while (lf !== -1 || cr !== -1) {
    const isCr = cr !== -1 && (lf === -1 || cr < lf);
    const end = isCr && lf !== cr + 1 ? cr + 1 : lf + 1;
    starts.push(end);
    if (lf !== -1 && lf < end) lf = text.indexOf('\n', end);
    if (cr !== -1 && cr < end) cr = text.indexOf('\r', end);
  }
  return starts;
}
