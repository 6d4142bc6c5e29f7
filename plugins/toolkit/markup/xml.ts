import { refusedError } from '../../../core/errors.ts';
import { decodeUnicode } from '../decode-unicode.ts';

export type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** Functions that are called in the order of the document. Names of elements come without prefixes. */
interface XmlHandlers {
  readonly open: (name: string, attributes: XmlAttributes) => void;
  /** The attributes that `open` gets, by their names with prefixes; by default all. */
  readonly attributes?: ReadonlySet<string>;
  /** Called at the end of each element, even an empty one. */
  readonly close?: (name: string) => void;
  /** May be called several times for the text of one element. */
  readonly text?: (text: string) => void;
  /** Whether to skip a document type. Those that declare something are refused all the same. */
  readonly skipsDocumentType?: boolean;
  /**
   * Called before each tag within an element. May read whole elements itself, from `at`, and returns where it stopped:
   * at `at` if it leaves the tag to this reader.
   */
  readonly readAhead?: (xml: string, at: number) => number;
}

const MAX_DEPTH = 256;

/**
 * Reads the elements, attributes and text of XML in one pass. A document type is refused or skipped, so only the
 * predefined entities of XML exist.
 *
 * @param name names the document in errors
 * @throws Error for callers if the XML is malformed, has a document type, or is nested too deeply
 */
export function readXml(bytes: Uint8Array, name: string, handlers: XmlHandlers): void {
  new XmlDocument(decodeUnicode({ bytes, charset: undefined }).text, name, handlers).read();
}

class XmlDocument {
  readonly #xml: string;
  readonly #name: string;
  readonly #handlers: XmlHandlers;
  readonly #path: string[] = [];
  #at = 0;

  constructor(xml: string, name: string, handlers: XmlHandlers) {
    this.#xml = xml;
    this.#name = name;
    this.#handlers = handlers;
  }

  read(): void {
    const xml = this.#xml;
    const { text, readAhead } = this.#handlers;
    for (let tag = xml.indexOf('<'); tag !== -1; tag = xml.indexOf('<', this.#at)) {
      if (tag > this.#at && this.#path.length > 0) text?.(decodeReferences(xml.slice(this.#at, tag)));
      if (readAhead !== undefined && this.#path.length > 0) {
        this.#at = readAhead(xml, tag);
        if (this.#at > tag) continue;
      }
      const next = xml.charCodeAt(tag + 1);
      if (next === SLASH) this.#closeTag(tag);
      else if (next !== QUESTION && next !== EXCLAMATION) this.#openTag(tag);
      else if (next === QUESTION) this.#at = this.#after('?>', tag);
      else if (xml.startsWith('<!--', tag)) this.#at = this.#after('-->', tag);
      else if (this.#handlers.skipsDocumentType === true && xml.startsWith(DOCUMENT_TYPE, tag)) {
        this.#at = this.#after('>', tag);
        if (xml.slice(tag, this.#at).includes('[')) throw this.#damaged();
      } else if (xml.startsWith(CDATA, tag)) {
        this.#at = this.#after(']]>', tag);
        text?.(xml.slice(tag + CDATA.length, this.#at - ']]>'.length));
      } else this.#openTag(tag);
    }
    if (this.#path.length > 0 || this.#at === 0) throw this.#damaged();
  }

  #openTag(tag: number): void {
    const nameEnd = this.#skip(tag + 1, false);
    const full = this.#xml.slice(tag + 1, nameEnd);
    const name = this.#localName(full);
    const attributes = new NoAttributes();
    let next = this.#skip(nameEnd, true);
    while (!this.#endsTag(next)) next = this.#readAttribute(next, attributes);
    const isEmpty = this.#xml[next] === '/';
    this.#at = next + (isEmpty ? '/>' : '>').length;
    if (this.#path.length === MAX_DEPTH)
      throw refusedError(`The file cannot be read: ${this.#name} is nested too deeply.`);
    this.#handlers.open(name, attributes);
    if (isEmpty) this.#handlers.close?.(name);
    else this.#path.push(full);
  }

  readonly #names = new Map<string, string>();

  /** The name of an element without its prefix. Each name is checked once. */
  #localName(full: string): string {
    const known = this.#names.get(full);
    if (known !== undefined) return known;
    if (!NAME_START.test(full) || NOT_IN_NAME.test(full)) throw this.#damaged();
    const name = full.slice(full.indexOf(':') + 1);
    if (this.#names.size < MAX_NAMES) this.#names.set(full, name);
    return name;
  }

  /** @returns the start of the next attribute */
  #readAttribute(start: number, attributes: Record<string, string>): number {
    const equals = this.#after('=', start);
    const quote = this.#skip(equals, true);
    const sign = this.#xml[quote];
    if (sign !== '"' && sign !== "'") throw this.#damaged();
    const end = this.#after(sign, quote + 1);
    const name = this.#xml.slice(start, equals - 1).trim();
    if (this.#handlers.attributes?.has(name) !== false)
      attributes[name] = decodeReferences(this.#xml.slice(quote + 1, end - 1));
    return this.#skip(end, true);
  }

  #closeTag(tag: number): void {
    const open = this.#path.pop();
    const start = tag + '</'.length;
    this.#at = this.#after('>', tag);
    if (open === undefined || this.#xml.slice(start, this.#at - 1).trimEnd() !== open) throw this.#damaged();
    this.#handlers.close?.(this.#localName(open));
  }

  #after(sign: string, from: number): number {
    const index = this.#xml.indexOf(sign, from);
    if (index === -1) throw this.#damaged();
    return index + sign.length;
  }

  #skip(from: number, isSpace: boolean): number {
    const xml = this.#xml;
    let next = from;
    if (isSpace) while (isSpaceUnit(xml.charCodeAt(next))) next++;
    else while (next < xml.length && !endsName(xml.charCodeAt(next))) next++;
    return next;
  }

  #endsTag(next: number): boolean {
    if (next >= this.#xml.length) throw this.#damaged();
    const unit = this.#xml.charCodeAt(next);
    return unit === END || (unit === SLASH && this.#xml.charCodeAt(next + 1) === END);
  }

  #damaged(): Error {
    return refusedError(`The file cannot be read: it is damaged (${this.#name} is not XML).`);
  }
}

/** Creates objects without properties, their own or inherited, faster than `Object.create(null)`. */
function NoProperties() {}
NoProperties.prototype = Object.create(null);
const NoAttributes = NoProperties as unknown as new () => Record<string, string>;

const CDATA = '<![CDATA[';
const DOCUMENT_TYPE = '<!DOCTYPE';
/** Patterns of single characters. A pattern of a whole name could overflow the stack on a long name. */
const NAME_START = /^[\p{L}_]/u;
const NOT_IN_NAME = /[<&"'=!]/;
/** Names of a document that are kept. */
const MAX_NAMES = 1000;
const [EXCLAMATION, SLASH, START, END, QUESTION] = [0x21, 0x2f, 0x3c, 0x3e, 0x3f];

const isSpaceUnit = (unit: number): boolean => unit === 32 || unit === 10 || unit === 13 || unit === 9;
const endsName = (unit: number): boolean =>
  unit === END || unit === SLASH || unit === START || isSpaceUnit(unit);

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,9})|#x([\da-f]{1,8})|(amp|lt|gt|quot|apos));/gi,
    (_, decimal, hex, entity) => {
      if (entity !== undefined) return ENTITIES[entity.toLowerCase()] as string;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point > LAST_CODE_POINT ? '\ufffd' : String.fromCodePoint(point);
    },
  );
}
