/** How a cell says what it has: its type, and the index of its style. */
export interface Cell {
  readonly type: string;
  readonly style: number;
}

/** The last cell that `readPlainCell` has read. */
export const PLAIN = { type: 'n', style: 0, column: 0, written: '' };

const [SPACE, QUOTE, AMPERSAND, SLASH, ZERO, NINE, LESS, EQUALS, MORE] = [
  0x20, 0x22, 0x26, 0x2f, 0x30, 0x39, 0x3c, 0x3d, 0x3e,
];
const [A, Z, R, S, T] = [0x41, 0x5a, 0x72, 0x73, 0x74];
const TYPES = ['s', 'n', 'str', 'b', 'e', 'd'].map((type) => ({ type, written: `${type}"` }));

/**
 * Reads a cell into `PLAIN` that is written as most are: `<c r="B2" s="1" t="s"><v>12</v></c>`, with or without each of the
 * attributes, a formula, and the value. A general reader of XML takes several times as long for each.
 *
 * @returns its end, or `start` if it is written in another way
 */
export function readPlainCell(xml: string, start: number): number {
  if (!xml.startsWith('<c ', start)) return start;
  let at = start + '<c'.length;
  PLAIN.type = 'n';
  PLAIN.style = 0;
  PLAIN.column = 0;
  while (xml.charCodeAt(at) === SPACE) {
    const value = at + ' r="'.length;
    if (xml.charCodeAt(at + 2) !== EQUALS || xml.charCodeAt(at + 3) !== QUOTE) return start;
    const end = readValue(xml, xml.charCodeAt(at + 1), value);
    if (end <= value || xml.charCodeAt(end) !== QUOTE) return start;
    at = end + 1;
  }
  PLAIN.written = '';
  if (xml.charCodeAt(at) === SLASH) return xml.charCodeAt(at + 1) === MORE ? at + '/>'.length : start;
  if (xml.charCodeAt(at) !== MORE) return start;
  at++;
  const hasFormula = xml.startsWith('<f>', at);
  if (hasFormula) {
    at = xml.indexOf('<', at + 1);
    if (!xml.startsWith('</f>', at)) return start;
    at += '</f>'.length;
  }
  if (xml.startsWith('<v>', at)) {
    const from = at + '<v>'.length;
    for (at = from; isPlain(xml.charCodeAt(at)); at++);
    if (at === from || !xml.startsWith('</v>', at)) return start;
    PLAIN.written = xml.slice(from, at);
    at += '</v>'.length;
  } else if (hasFormula) return start;
  return xml.startsWith('</c>', at) ? at + '</c>'.length : start;
}

/** @returns the end of the value of an attribute, or `from` if it is written in another way */
function readValue(xml: string, name: number, from: number): number {
  let at = from;
  if (name === R) {
    let column = 0;
    for (let unit = xml.charCodeAt(at); unit >= A && unit <= Z && at < from + 3; unit = xml.charCodeAt(++at))
      column = column * 26 + unit - A + 1;
    const letters = at;
    while (isDigit(xml.charCodeAt(at))) at++;
    if (letters === from || at === letters) return from;
    PLAIN.column = column;
  } else if (name === S) {
    let style = 0;
    for (; isDigit(xml.charCodeAt(at)) && at < from + 6; at++) style = style * 10 + xml.charCodeAt(at) - ZERO;
    PLAIN.style = style;
  } else if (name === T) {
    const known = TYPES.find(({ written }) => xml.startsWith(written, from));
    if (known === undefined) return from;
    PLAIN.type = known.type;
    at += known.type.length;
  }
  return at;
}

const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;
/** Whether a unit may be in a value without references. There is no unit after the last one: `NaN`. */
const isPlain = (unit: number): boolean => unit !== LESS && unit !== AMPERSAND && !Number.isNaN(unit);
