import { cleaned, UNREADABLE, withoutUnreadable } from './characters.ts';
import { type Drawing, drawPage, isBlank } from './layers.ts';
import { addRun, boxOf, type OpenPage, type Run, shown, type Turnable, turned, turnedBack } from './page.ts';
import type { Pdfium } from './pdfium.ts';
import type { Block } from './roles.ts';

/** Reads the text of a page as runs. */
export function readText(open: OpenPage): Pick<TextReader, 'runs' | 'runOfObject' | 'unreadable'> {
  return new TextReader(open).read();
}

/** What the characters of one text object have in common. */
interface Style {
  readonly turns: number;
  readonly size: number;
  readonly font: string;
  readonly isMono: boolean;
  /** Points above and below the base line. */
  readonly ascent: number;
  readonly descent: number;
  readonly block: Block | undefined;
  /** It belongs to a layer, which may be off. */
  readonly isOfLayer: boolean;
}

interface Font {
  readonly name: string;
  readonly isMono: boolean;
  /** What its sizes are multiplied by. */
  readonly scale: number;
}

/** A character of a font, and the size in which it is drawn. */
interface Sample {
  readonly text: number;
  readonly index: number;
  readonly size: number;
}

/** Points. */
const USUAL_SIZES = { least: 3, most: 100 };
const MAX_SAMPLE = 500;
/** From the lowest to the highest point of letters, in font sizes. */
const LETTER_HEIGHT = 0.9;

/** Names of fonts whose descriptor is missing, or does not say that all letters are equally wide. */
const MONO = /courier|mono|consol|typewriter|cmtt/i;

/** Flags of a font, by its descriptor. */
const FIXED_PITCH = 1;

/** A run that grows character by character. */
interface Growing {
  readonly style: Style;
  readonly object: number;
  text: string;
  x0: number;
  x1: number;
  base: number;
}

class TextReader {
  readonly runs = new Map<number, Run[]>();
  unreadable = 0;
  readonly #open: OpenPage;
  readonly #pdfium: Pdfium;
  readonly #fonts = new Map<number, Font>();
  /** The last run of each text object. */
  readonly runOfObject = new Map<number, Run>();
  #growing: Growing | undefined;

  constructor(open: OpenPage) {
    this.#open = open;
    this.#pdfium = open.file.pdfium;
  }

  read(): this {
    const { call } = this.#pdfium;
    const text = call.FPDFText_LoadPage(this.#open.page);
    if (text === 0) return this;
    try {
      const count = call.FPDFText_CountChars(text);
      for (let index = 0; index < count; index++) this.#addCharacter(text, index);
      this.#finish();
    } finally {
      call.FPDFText_ClosePage(text);
    }
    return this;
  }

  #lastX = Number.NaN;
  #object = 0;
  #style: Style | undefined;

  #addCharacter(text: number, index: number): void {
    const { call } = this.#pdfium;
    const unicode = call.FPDFText_GetUnicode(text, index);
    // PDFium's own spaces and line breaks are found here by geometry.
    if (call.FPDFText_IsGenerated(text, index) === 1) return;
    const object = call.FPDFText_GetTextObject(text, index);
    if (object !== this.#object || this.#style === undefined) {
      this.#object = object;
      this.#style = this.#styleOf(text, index, object);
    }
    const style = this.#style;
    if (unicode === SPACE || unicode === NO_BREAK_SPACE) {
      if (this.#growing !== undefined) this.#growing.text += ' ';
      return;
    }
    const character = characterOf(unicode);
    const box = this.#boxOf(text, index, style);
    const growing = this.#growing;
    const isOfLigature = growing !== undefined && box.x0 === this.#lastX && growing.object === object;
    this.#lastX = box.x0;
    if (growing !== undefined && (isOfLigature || continues(growing, box, style))) {
      growing.text += character;
      growing.x1 = Math.max(growing.x1, box.x1);
      return;
    }
    this.#finish();
    this.#growing = { style, object, text: character, ...box };
  }

  /** From the origin of a character to the end of its advance, in a page that is turned so that the text runs to the right. */
  #boxOf(text: number, index: number, { turns }: Style): { x0: number; x1: number; base: number } {
    const { call, scratch } = this.#pdfium;
    call.FPDFText_GetCharOrigin(text, index, scratch, scratch + 8);
    const [originX, originY] = shown(this.#open, this.#pdfium.float64(0), this.#pdfium.float64(1));
    const [x, base] = turned(originX, originY, turns, this.#open);
    call.FPDFText_GetLooseCharBox(text, index, scratch);
    const { left, right, top, bottom } = this.#pdfium.rectangle();
    const [ax, ay] = shown(this.#open, left, bottom);
    const [bx, by] = shown(this.#open, right, top);
    const [cx] = turned(ax, ay, turns, this.#open);
    const [dx] = turned(bx, by, turns, this.#open);
    return { x0: Math.min(x, cx, dx), x1: Math.max(cx, dx, x + 0.1), base };
  }

  #styleOf(text: number, index: number, object: number): Style {
    const { call, scratch } = this.#pdfium;
    call.FPDFText_GetMatrix(text, index, scratch);
    const [a, b, c, d] = [0, 1, 2, 3].map((at) => this.#pdfium.float32(at)) as [
      number,
      number,
      number,
      number,
    ];
    const drawn = call.FPDFText_GetFontSize(text, index) * (Math.hypot(c, d) || Math.hypot(a, b) || 1);
    const direction = Math.round(Math.atan2(-b, a) / (Math.PI / 2));
    const turns = (((direction + this.#open.rotation) % 4) + 4) % 4;
    const font = object === 0 ? 0 : call.FPDFTextObj_GetFont(object);
    const { name, isMono, scale } = this.#fontOf(font, { text, index, size: drawn });
    const size = scale * drawn;
    const measure = (of: (font: number, size: number, result: number) => number) =>
      font !== 0 && of(font, 1, scratch) !== 0 ? this.#pdfium.float32() : undefined;
    // Fonts often give wrong ascents and descents.
    const ascent = within(measure(call.FPDFFont_GetAscent), 0.6, 1, 0.8) * size;
    const descent = within(-(measure(call.FPDFFont_GetDescent) ?? 0), 0.1, 0.4, 0.2) * size;
    return {
      turns,
      size: size || 1,
      font: name,
      isMono,
      ascent,
      descent,
      block: this.#blockOf(object),
      isOfLayer: this.#isOfLayer(object),
    };
  }

  #fontOf(font: number, sample: Sample): Font {
    const { call } = this.#pdfium;
    const known = this.#fonts.get(font);
    if (known !== undefined) return known;
    const name =
      font === 0
        ? ''
        : this.#pdfium.utf8((buffer, bytes) => call.FPDFFont_GetBaseFontName(font, buffer, bytes));
    const isMono = font !== 0 && ((call.FPDFFont_GetFlags(font) & FIXED_PITCH) !== 0 || MONO.test(name));
    const own = { name: `${name} ${font}`, isMono, scale: this.#scaleOf(font, sample) };
    this.#fonts.set(font, own);
    return own;
  }

  /** A Type 3 font has units of its own, and its size says little: then letters say how large they are. */
  #scaleOf(font: number, { text, index, size }: Sample): number {
    const { call, scratch } = this.#pdfium;
    if (size >= USUAL_SIZES.least && size <= USUAL_SIZES.most) return 1;
    let tallest = 0;
    const end = Math.min(call.FPDFText_CountChars(text), index + MAX_SAMPLE);
    for (let at = index; at < end; at++) {
      const object = call.FPDFText_GetTextObject(text, at);
      if (object === 0 || call.FPDFTextObj_GetFont(object) !== font) continue;
      call.FPDFText_GetCharBox(text, at, scratch, scratch + 8, scratch + 16, scratch + 24);
      tallest = Math.max(tallest, Math.abs(this.#pdfium.float64(3) - this.#pdfium.float64(2)));
    }
    const isWrong = tallest > 2 * size || tallest < 0.2 * size;
    return tallest > 0 && isWrong ? tallest / LETTER_HEIGHT / size : 1;
  }

  #blockOf(object: number): Block | undefined {
    if (object === 0 || !this.#open.file.isTagged) return undefined;
    const { call } = this.#pdfium;
    return this.#open.roles.get(call.FPDFPageObj_GetMarkedContentID(object));
  }

  #isOfLayer(object: number): boolean {
    const { call } = this.#pdfium;
    const marks = object === 0 ? 0 : call.FPDFPageObj_CountMarks(object);
    for (let index = 0; index < marks; index++) {
      if (this.#pdfium.markName(call.FPDFPageObj_GetMark(object, index)) === 'OC') return true;
    }
    return false;
  }

  #drawing: Drawing | undefined;

  /** PDFium gives the text of all layers, but draws only those that are on. */
  #isHidden(turns: number, box: Turnable): boolean {
    const { file, page, width, height } = this.#open;
    this.#drawing ??= drawPage(file, page, width, height);
    return (
      this.#drawing !== undefined &&
      isBlank(this.#drawing, boxOf(turnedBack(box, turns, this.#open), this.#open))
    );
  }

  #finish(): void {
    const growing = this.#growing;
    this.#growing = undefined;
    if (growing === undefined) return;
    const { style, object, text, x0, x1, base } = growing;
    const { text: readable, removed } = withoutUnreadable(cleaned(text));
    this.unreadable += removed;
    if (readable.trim() === '') return;
    const { size, font, isMono, ascent, descent, block } = style;
    if (style.isOfLayer && this.#isHidden(style.turns, { x0, x1, y0: base - ascent, y1: base + descent }))
      return;
    const run = {
      text: readable,
      x0,
      x1: Math.max(x1, x0 + 0.1),
      y0: base - ascent,
      y1: base + descent,
      base,
      size,
      font,
      isMono,
      block,
    };
    if (addRun(this.runs, run, style.turns, this.#open)) this.runOfObject.set(object, run);
  }
}

const SPACE = 32;
const NO_BREAK_SPACE = 160;
/** What PDFium writes for the hyphen of a word that is divided at the end of a line. */
const DIVIDING_HYPHEN = 2;

function characterOf(unicode: number): string {
  if (unicode === DIVIDING_HYPHEN) return '-';
  return unicode === 0 || unicode > 0x10ffff ? UNREADABLE : String.fromCodePoint(unicode);
}

/** Whether a character belongs to a run: close behind it, on its base line, in its style. */
function continues(run: Growing, { x0, base }: { x0: number; base: number }, style: Style): boolean {
  const { size } = style;
  if (
    run.style !== style &&
    (run.style.turns !== style.turns ||
      run.style.font !== style.font ||
      run.style.block !== style.block ||
      Math.abs(run.style.size - size) > 0.05 * size)
  )
    return false;
  const gap = x0 - run.x1;
  return (
    Math.abs(base - run.base) < 0.05 * size &&
    gap < (run.text.endsWith(' ') ? (style.isMono ? 0.9 : 0.5) : 0.16) * size &&
    gap > -0.3 * size
  );
}

const within = (value: number | undefined, low: number, high: number, usual: number): number =>
  value !== undefined && value >= low && value <= high ? value : usual;
