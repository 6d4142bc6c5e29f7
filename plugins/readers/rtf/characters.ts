import { CODE_PAGES_OF_FONTS, decodeCodePage } from './code-pages.ts';

/** Control words that are characters. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  '~': '\u00a0',
  _: '\u2011',
  '\\': '\\',
  '{': '{',
  '}': '}',
  tab: '\t',
  line: '\n',
  lbr: '\n',
  emdash: '\u2014',
  endash: '\u2013',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  bullet: '\u2022',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  zwj: '\u200d',
  zwnj: '\u200c',
};

const UNITS = 0x10000;

/** Decodes the text of RTF: bytes by the code page of their font, and `\u` with its replacement skipped. */
export class CharacterReader {
  readonly #put: (text: string) => void;
  readonly #fonts = new Map<number, number>();
  #bytes = new Uint8Array(256);
  #length = 0;
  #codePage = 1252;
  #font = -1;
  #skipped = 0;
  documentCodePage = 1252;
  /** Runs of characters that are invalid in their code page. */
  doubtful = 0;

  /** @param put receives the text */
  constructor(put: (text: string) => void) {
    this.#put = put;
  }

  setFont(font: number, charset: number | undefined, codePage: number | undefined): void {
    const page = codePage ?? CODE_PAGES_OF_FONTS[charset ?? 0];
    if (page !== undefined && this.#fonts.size < MAX_FONTS) this.#fonts.set(font, page);
  }

  /** Selects the font of the text that follows. */
  select(font: number): void {
    const page = this.#fonts.get(font) ?? this.documentCodePage;
    if (page !== this.#codePage) this.flush();
    this.#font = font;
    this.#codePage = page;
  }

  byte(byte: number): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(this.#length * 2);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length++] = byte;
  }

  /** A control word that is a character. */
  character(text: string): void {
    this.flush();
    if (this.#skipped > 0) this.#skipped--;
    else this.#put(text);
  }

  /** @param value of `\u` @param skipped characters that follow as a replacement */
  unicode(value: number, skipped: number): void {
    this.flush();
    this.#put(String.fromCharCode((value + UNITS) % UNITS));
    this.#skipped = Math.max(skipped, 0);
  }

  /** Ends a replacement, which never continues after its group. */
  endReplacement(): void {
    this.#skipped = 0;
  }

  flush(): void {
    if (this.#length === 0) return;
    const page = this.#font === -1 ? this.documentCodePage : this.#codePage;
    const { text, isSure } = decodeCodePage(this.#bytes.subarray(0, this.#length), page);
    if (!isSure) this.doubtful++;
    this.#length = 0;
    this.#put(text);
  }
}

const MAX_FONTS = 10_000;
