import { refusedError } from '../../../../core/kit.ts';
import { decodedAs } from '../../../toolkit/mime/index.ts';
import { encodingOfCodePage } from './properties.ts';

/** What a decoder of compressed RTF knows before it begins (MS-OXRTFCP 2.1.2.1). */
const DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const DICTIONARY_BYTES = 4096;
const HEADER_BYTES = 16;
const COMPRESSED = 'LZFu';
const UNCOMPRESSED = 'MELA';

/** Decompresses RTF of Outlook (MS-OXRTFCP). @throws Error for callers if it is damaged */
export function decompressRtf(bytes: Uint8Array): Buffer {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const kind = source.toString('latin1', 8, 12);
  if (kind === UNCOMPRESSED) return source.subarray(HEADER_BYTES);
  if (kind !== COMPRESSED) throw refusedError('The file cannot be read: the text of a message is damaged.');
  const dictionary = Buffer.alloc(DICTIONARY_BYTES);
  let write = dictionary.write(DICTIONARY, 'latin1');
  // Each reference has two bytes, and expands to at most 17.
  const output = Buffer.alloc(source.length * 9);
  let length = 0;
  const put = (byte: number): void => {
    output[length++] = byte;
    dictionary[write] = byte;
    write = (write + 1) % DICTIONARY_BYTES;
  };
  let at = HEADER_BYTES;
  while (at < source.length) {
    const control = source[at++] as number;
    for (let bit = 0; bit < 8 && at < source.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(source[at++] as number);
        continue;
      }
      const reference = ((source[at] as number) << 8) | (source[at + 1] ?? 0);
      at += 2;
      const offset = reference >> 4;
      if (offset === write) return output.subarray(0, length);
      for (let index = 0; index < (reference & 15) + 2; index++)
        put(dictionary[(offset + index) % DICTIONARY_BYTES] as number);
    }
  }
  return output.subarray(0, length);
}

const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}]+)/gi;
const LINE_BREAKS = /[\r\n]+/g;
/** Groups whose text is not part of the page. */
const HIDDEN = new Set(
  'fonttbl colortbl stylesheet info pict object pntext listtable listoverridetable generator mhtmltag'.split(
    ' ',
  ),
);
const SIGNS: Readonly<Record<string, string>> = {
  par: '\r\n',
  line: '\r\n',
  row: '\r\n',
  cell: '\t',
  tab: '\t',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  bullet: '\u2022',
  endash: '\u2013',
  emdash: '\u2014',
};
const ESCAPES: Readonly<Record<string, string>> = {
  '~': '\u00a0',
  _: '\u00ad',
  '\\': '\\',
  '{': '{',
  '}': '}',
};
/** Code pages by the character sets of fonts. */
const CODE_PAGES: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

interface Group {
  /** Whether text is part of the page. */
  isShown: boolean;
  /** Whether the group is `htmltag`, whose text is written even in a stretch that is only for RTF. */
  isTag: boolean;
  isOptional: boolean;
  skipped: number;
  font: number;
}

const MAX_DEPTH = 10_000;

/** The page that Outlook wrapped in RTF (MS-OXRTFEX). Undefined if the RTF does not come from HTML. */
export function htmlInRtf(rtf: Buffer): string | undefined {
  return FROM_HTML.test(rtf.toString('latin1', 0, MAX_HEAD)) ? textInRtf(rtf) : undefined;
}

const FROM_HTML = /^\{\\rtf1[\s\S]*?\\fromhtml1/;
/** Bytes that are searched for the mark of HTML in RTF. */
const MAX_HEAD = 2000;

/** The text of RTF without its formats. In RTF that wraps HTML, the text is HTML. */
export function textInRtf(rtf: Buffer): string {
  const reader = new RtfText();
  for (const match of rtf.toString('latin1').matchAll(TOKEN)) reader.take(match);
  return reader.end();
}

class RtfText {
  readonly #parts: string[] = [];
  readonly #groups: Group[] = [];
  readonly #pages = new Map<number, number>();
  #group: Group = { isShown: true, isTag: false, isOptional: false, skipped: 1, font: -1 };
  #page = 1252;
  #bytes: number[] = [];
  #isOnlyRtf = false;
  #left = 0;
  #isFontTable = false;
  #tooDeep = 0;

  take([token, word, number, hex, sign = '', brace, text]: RegExpExecArray): void {
    if (hex !== undefined) this.#byte(Number.parseInt(hex, 16));
    else if (word === 'u') this.#unicode(Number(number ?? 0));
    else if (word !== undefined) this.#word(word, number === undefined ? undefined : Number(number));
    else if (brace === '{') this.#open();
    else if (brace === '}') this.#close();
    else if (sign === '*') this.#group.isOptional = true;
    else this.#put(text?.replace(LINE_BREAKS, '') ?? ESCAPES[sign] ?? (token === '\\\n' ? '\r\n' : ''));
  }

  end(): string {
    this.#flush();
    return this.#parts.join('').replaceAll('\0', '').toWellFormed();
  }

  #open(): void {
    this.#flush();
    if (this.#groups.length >= MAX_DEPTH) {
      this.#tooDeep++;
      return;
    }
    this.#groups.push(this.#group);
    this.#group = { ...this.#group, isOptional: false };
  }

  #close(): void {
    this.#flush();
    if (this.#tooDeep > 0) this.#tooDeep--;
    else this.#group = this.#groups.pop() ?? this.#group;
  }

  #word(word: string, number: number | undefined): void {
    this.#flush();
    const group = this.#group;
    if (word === 'htmlrtf') this.#isOnlyRtf = number !== 0;
    else if (word === 'htmltag') group.isTag = true;
    else if (word === 'fonttbl') this.#isFontTable = true;
    if (HIDDEN.has(word) || (group.isOptional && word !== 'htmltag')) group.isShown = false;
    if (word === 'ansicpg' && number !== undefined) this.#page = number;
    else if (word === 'uc') group.skipped = Math.max(number ?? 1, 0);
    else if (word === 'f') group.font = number ?? -1;
    else if (word === 'fcharset' && this.#isFontTable)
      this.#pages.set(group.font, CODE_PAGES[number ?? 0] ?? this.#page);
    else if (SIGNS[word] !== undefined) this.#put(SIGNS[word]);
    group.isOptional = false;
  }

  #unicode(number: number): void {
    this.#flush();
    this.#left = 0;
    this.#put(String.fromCharCode(number & 0xffff));
    this.#left = this.#group.skipped;
  }

  #byte(byte: number): void {
    if (this.#left > 0) this.#left--;
    else if (this.#isWritten()) this.#bytes.push(byte);
  }

  #put(text: string): void {
    this.#flush();
    const skipped = Math.min(this.#left, text.length);
    this.#left -= skipped;
    if (this.#isWritten()) this.#parts.push(this.#decoded(text.slice(skipped)));
  }

  #isWritten(): boolean {
    const { isShown, isTag } = this.#group;
    return isShown && (isTag || !this.#isOnlyRtf);
  }

  /** Writes bytes together, because a character may take two of them. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    const page = this.#pages.get(this.#group.font) ?? this.#page;
    const encoding = encodingOfCodePage(page) ?? 'windows-1252';
    this.#parts.push(decodedAs(bytes, encoding) ?? decodedAs(bytes, 'windows-1252') ?? '');
  }

  /** Text of the source, which may have bytes above 7 bits although RTF escapes them. */
  #decoded(text: string): string {
    if (!/[\u0080-\u00ff]/.test(text) || /[\u0100-\uffff]/.test(text)) return text;
    const bytes = Buffer.from(text, 'latin1');
    return decodedAs(bytes, encodingOfCodePage(this.#page) ?? 'windows-1252') ?? text;
  }
}
