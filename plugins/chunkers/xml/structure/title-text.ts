import { decodeReferences } from '../../../toolkit/markup/index.ts';
import { CDATA, CDATA_END, CDATA_START, CLOSING, localName, OPENING, XmlReader } from './syntax.ts';

const MAX_READ = 2000;
const MAX_CHARACTERS = 200;

/** Notes and entries of an index, which are within a title but not a part of it. */
const ASIDE = new Set('fn xref-fn footnote note indexterm index-term index'.split(' '));

/**
 * The text of a title, at most 200 characters: without tags, comments and notes, with references decoded, and with
 * single spaces.
 */
export function titleText(xml: string): string {
  const whole = textOf(xml.slice(0, MAX_READ))
    .replace(/\u00ad/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
  return whole.length <= MAX_CHARACTERS
    ? whole
    : Array.from(whole).slice(0, MAX_CHARACTERS).join('').trimEnd();
}

function textOf(xml: string): string {
  const reader = new XmlReader(xml);
  let text = '';
  let behind = 0;
  let asides = 0;
  const add = (part: string) => {
    if (asides === 0) text += part;
  };
  while (reader.read()) {
    const { kind, name, start, end } = reader;
    add(decodeReferences(xml.slice(behind, start)));
    if (kind === CDATA) add(xml.slice(start + CDATA_START.length, end - CDATA_END.length));
    else if (ASIDE.has(localName(name)) && (kind === OPENING || kind === CLOSING))
      asides = Math.max(asides + (kind === OPENING ? 1 : -1), 0);
    behind = end;
  }
  add(decodeReferences(xml.slice(behind)));
  return text;
}
