import {
  type Accent,
  COMBINING,
  FIRST_ACCENT,
  letterUnder,
  MAX_ACCENTS,
  type Origins,
  ROW_HEIGHT,
  rowKey,
  withMark,
} from './accents.ts';
import { cleaned, ligaturesOf, withLigatures, withoutUnreadable } from './characters.ts';
import { Fonts } from './fonts.ts';
import { edit, type Growing, type Placing, type Style } from './growing-run.ts';
import { type Drawing, drawPage, isBlank } from './layers.ts';
import { MIN_SPACE } from './lines.ts';
import {
  addRun,
  boxOf,
  type HiddenText,
  type OpenPage,
  type Run,
  shown,
  type Turnable,
  turned,
  turnedBack,
} from './page.ts';
import type { Pdfium } from './pdfium.ts';
import type { Block } from './roles.ts';

/** Reads the text of a page as runs. */
export function readText(
  open: OpenPage,
): Pick<TextReader, 'runs' | 'runOfObject' | 'unreadable' | 'inferred' | 'hidden'> {
  return new TextReader(open).read();
}

interface Extent {
  readonly x0: number;
  readonly x1: number;
  readonly base: number;
}

class TextReader {
  readonly runs = new Map<number, Run[]>();
  unreadable = 0;
  readonly hidden: HiddenText[] = [];
  /** Ligatures that were recognized by where their codes are. */
  inferred = 0;
  readonly #open: OpenPage;
  readonly #pdfium: Pdfium;
  readonly #fonts: Fonts;
  readonly #placings = new Map<number, Placing>();
  /** The last run of each text object. */
  readonly runOfObject = new Map<number, Run>();
  #growing: Growing | undefined;

  constructor(open: OpenPage) {
    this.#open = open;
    this.#pdfium = open.file.pdfium;
    this.#fonts = new Fonts(this.#pdfium);
  }

  read(): this {
    const { call } = this.#pdfium;
    const text = call.FPDFText_LoadPage(this.#open.page);
    if (text === 0) return this;
    try {
      const count = call.FPDFText_CountChars(text);
      // A character has at most two units, and a space before it.
      this.#units = new Uint16Array(3 * count);
      this.#origins = { xs: new Float64Array(count), places: new Int32Array(count).fill(-1) };
      for (let index = 0; index < count; index++) this.#addCharacter(text, index);
      this.#endRun();
      this.#endObject();
      this.#putAccents();
      this.#putLigatures();
      for (const run of this.#all) this.#finish(run);
    } finally {
      call.FPDFText_ClosePage(text);
    }
    return this;
  }

  #object = 0;
  #style: Style | undefined;
  /** PDFium takes the gap before the next character for a space, by the widths of the font. */
  #isAfterGap = false;
  /** The origin of the last character, and what its box begins with. */
  #lastX = Number.NaN;
  #lastObject = 0;
  readonly #all: Growing[] = [];
  readonly #accents: Accent[] = [];
  /** The texts of all runs, in UTF-16. */
  #units = new Uint16Array();
  #length = 0;
  #origins: Origins = { xs: new Float64Array(), places: new Int32Array() };

  #addCharacter(text: number, index: number): void {
    const { call } = this.#pdfium;
    const unicode = call.FPDFText_GetUnicode(text, index);
    const object = call.FPDFText_GetTextObject(text, index);
    if ((object === 0 || unicode === SPACE) && call.FPDFText_IsGenerated(text, index) === 1) {
      this.#isAfterGap = unicode === SPACE;
      return;
    }
    if (object !== this.#object || this.#style === undefined) {
      this.#endObject();
      this.#object = object;
      this.#style = this.#styleOf(text, index, object);
    }
    this.#characters++;
    const style = this.#style as Style;
    const growing = this.#growing;
    if (unicode === SPACE || unicode === NO_BREAK_SPACE) {
      if (growing !== undefined) this.#units[this.#length++] = SPACE;
      return;
    }
    const isAfterGap = this.#isAfterGap;
    this.#isAfterGap = false;
    const { x0, x1, base } = this.#boxOf(text, index, object, style);
    const isOfLigature =
      growing !== undefined && Math.abs(x0 - this.#lastX) < SAME_PLACE && object === this.#lastObject;
    const endsWithSpace = this.#units[this.#length - 1] === SPACE;
    const isNext =
      growing !== undefined &&
      (isOfLigature || continues(growing, endsWithSpace, x0, x0 - this.#lastX, base, style));
    if (unicode >= FIRST_ACCENT && COMBINING.has(unicode) && this.#accents.length < MAX_ACCENTS) {
      const run = isNext ? growing : { ...{ style, object, x0, x1, base, text: '' }, ...NO_CHARACTERS };
      if (!isNext) this.#all.push(run);
      const place = isNext ? this.#length - run.start : 0;
      this.#accents.push({ unicode, run, isAlone: !isNext, place, x0, x1, base, style });
      return;
    }
    this.#lastX = x0;
    this.#lastObject = object;
    // The characters of a ligature have one origin, and PDFium gives the width of one of them.
    const end = isOfLigature ? Math.max(this.#box.outer, this.#endOf(text, index, style)) : x1;
    if (isNext) {
      if (isAfterGap && !endsWithSpace && x0 - growing.x1 > NARROW_SPACE * style.size)
        this.#units[this.#length++] = SPACE;
      growing.x1 = Math.max(growing.x1, end);
      growing.last = index;
      this.#put(unicode, growing, index, x0);
    } else {
      this.#endRun();
      const run = {
        style,
        object,
        x0,
        x1: end,
        base,
        first: index,
        last: index,
        start: this.#length,
        text: '',
      };
      this.#growing = run;
      this.#all.push(run);
      this.#put(unicode, run, index, x0);
    }
  }

  #put(unicode: number, { start }: Growing, index: number, x: number): void {
    this.#origins.xs[index] = x;
    this.#origins.places[index] = this.#length - start;
    const code = codeOf(unicode);
    if (code < 0x10000) this.#units[this.#length++] = code;
    else {
      this.#units[this.#length++] = 0xd800 + ((code - 0x10000) >> 10);
      this.#units[this.#length++] = 0xdc00 + (code & 0x3ff);
    }
  }

  #characters = 0;

  /** PDFium reads so many bytes of a string, which are one or two for a character, and nothing of what follows. */
  #endObject(): void {
    if (this.#object !== 0 && CUT_LENGTHS.has(this.#characters))
      this.hidden.push({ kind: 'rest_of_long_string', text: '' });
    this.#characters = 0;
  }

  #endRun(): void {
    const run = this.#growing;
    if (run === undefined) return;
    for (let at = run.start; at < this.#length; at += MAX_PIECE)
      run.text += String.fromCharCode.apply(
        null,
        this.#units.subarray(at, Math.min(at + MAX_PIECE, this.#length)) as unknown as number[],
      );
  }

  /** Puts each accent over its letter as one character; TeX draws both apart, and PDFium moves some. */
  #putAccents(): void {
    if (this.#accents.length === 0) return;
    const rows = Map.groupBy(this.#all, ({ base, style }) => rowKey(style.turns, base));
    for (const accent of this.#accents) {
      const { unicode, run, isAlone, place, x1 } = accent;
      const letter = letterUnder(accent, rows, this.#origins);
      if (letter !== undefined) edit(letter.run, letter.place, (text) => withMark(text, unicode));
      else if (isAlone) run.text = String.fromCodePoint(unicode);
      else {
        edit(run, place - 1, (text) => text + String.fromCodePoint(unicode));
        run.x1 = Math.max(run.x1, x1);
      }
    }
  }

  /** Writes the ligatures of fonts without names of glyphs, of which PDFium gives the codes. */
  #putLigatures(): void {
    const nameless = this.#all.filter(({ style }) => style.font.isNameless);
    for (const runs of Map.groupBy(nameless, ({ style }) => style.font).values()) {
      const codes = ligaturesOf(runs.map(({ text }) => text).join(' '));
      if (codes === undefined) continue;
      for (const run of runs)
        for (const { index } of run.text.matchAll(codes)) {
          edit(run, index, (text) => withLigatures(text, codes));
          this.inferred++;
        }
    }
  }

  /** The right end of what is drawn of a character. */
  #endOf(text: number, index: number, { placing: { left, ofX, ofY } }: Style): number {
    const { call, scratch } = this.#pdfium;
    call.FPDFText_GetCharBox(text, index, scratch, scratch + 8, scratch + 16, scratch + 24);
    const [x0, x1, y0, y1] = [0, 1, 2, 3].map((at) => this.#pdfium.float64(at)) as [
      number,
      number,
      number,
      number,
    ];
    return left + Math.max(ofX * x0 + ofY * y0, ofX * x1 + ofY * y1);
  }

  readonly #box = { x0: 0, x1: 0, outer: 0, base: 0, top: 0, bottom: 0, object: -1, isFromOrigin: false };

  /** From the origin of a character to the end of its advance, in a page that is turned so that the text runs to the right. */
  #boxOf(text: number, index: number, object: number, { placing, shear }: Style): Readonly<Extent> {
    const { call, scratch } = this.#pdfium;
    const { ofX, ofY, base, left } = placing;
    call.FPDFText_GetLooseCharBox(text, index, scratch);
    const [ax, ay] = [this.#pdfium.float32(0), this.#pdfium.float32(1)];
    const [bx, by] = [this.#pdfium.float32(2), this.#pdfium.float32(3)];
    const from = left + ofX * ax + ofY * by;
    const to = left + ofX * bx + ofY * ay;
    const [top, bottom] = ofX === 0 ? [ax, bx] : [ay, by];
    const box = this.#box;
    // Characters of one object that are equally high are on one base line, which the first one tells.
    if (object !== box.object || !box.isFromOrigin || top !== box.top || bottom !== box.bottom) {
      call.FPDFText_GetCharOrigin(text, index, scratch, scratch + 8);
      const originX = this.#pdfium.float64(0);
      const originY = this.#pdfium.float64(1);
      const x = left + ofX * originX + ofY * originY;
      box.base = base + ofY * originX - ofX * originY;
      box.object = object;
      box.top = top;
      box.bottom = bottom;
      box.isFromOrigin = Math.abs(x - Math.min(from, to)) < SAME_PLACE;
      const isSlanted = shear > 0 && !box.isFromOrigin;
      box.x0 = isSlanted ? x : Math.min(x, from, to);
    } else box.x0 = Math.min(from, to);
    // The box of a slanted letter reaches over its neighbours, which would hide the gaps between words.
    box.outer = Math.max(from, to);
    const end = shear > 0 ? box.x0 + Math.abs(to - from) - shear * Math.abs(top - bottom) : box.outer;
    box.x1 = Math.max(end, box.x0 + 0.1);
    return box;
  }

  #styleOf(text: number, index: number, object: number): Style {
    const { call, scratch } = this.#pdfium;
    call.FPDFText_GetMatrix(text, index, scratch);
    const a = this.#pdfium.float32(0);
    const b = this.#pdfium.float32(1);
    const [c, d] = [this.#pdfium.float32(2), this.#pdfium.float32(3)];
    const along = Math.hypot(a, b);
    const area = Math.abs(a * d - b * c);
    const up = along > 0 ? area / along : 0;
    const shear = area > 0 ? Math.abs(a * c + b * d) / area : 0;
    const drawn = call.FPDFText_GetFontSize(text, index) * (up || along || 1);
    const direction = Math.round(Math.atan2(-b, a) / (Math.PI / 2));
    const turns = (((direction + this.#open.rotation) % 4) + 4) % 4;
    const handle = object === 0 ? 0 : call.FPDFTextObj_GetFont(object);
    const font = this.#fonts.of(handle, object, { text, index, size: drawn });
    return {
      turns,
      placing: this.#placingOf(turns),
      size: font.scale * drawn || 1,
      shear: shear > MIN_SHEAR ? shear : 0,
      font,
      color: this.#colorOf(text, index),
      block: this.#blockOf(object),
      isOfLayer: this.#isOfLayer(object),
    };
  }

  /** Red, green and blue in one number; 0 is black. */
  #colorOf(text: number, index: number): number {
    const { call, scratch } = this.#pdfium;
    if (call.FPDFText_GetFillColor(text, index, scratch, scratch + 4, scratch + 8, scratch + 12) === 0)
      return 0;
    return (this.#pdfium.int32(0) << 16) + (this.#pdfium.int32(1) << 8) + this.#pdfium.int32(2);
  }

  #placingOf(turns: number): Placing {
    const known = this.#placings.get(turns);
    if (known !== undefined) return known;
    const at = (x: number, y: number) => turned(...shown(this.#open, x, y), turns, this.#open);
    const [left, base] = at(0, 0);
    const own = { left, base, ofX: Math.round(at(1, 0)[0] - left), ofY: Math.round(at(0, 1)[0] - left) };
    this.#placings.set(turns, own);
    return own;
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
      if (this.#pdfium.isLayer(call.FPDFPageObj_GetMark(object, index))) return true;
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

  #finish(growing: Growing): void {
    const { style, object, x0, x1, base, edits } = growing;
    const text =
      edits === undefined
        ? growing.text
        : Array.from({ length: growing.text.length }, (_, at) => edits.get(at) ?? growing.text[at]).join('');
    const { font, size, block } = style;
    const { text: readable, removed } = withoutUnreadable(cleaned(text));
    this.unreadable += removed;
    if (readable.trim() === '') return;
    const ascent = font.ascent * size;
    const descent = font.descent * size;
    if (style.isOfLayer && this.#isHidden(style.turns, { x0, x1, y0: base - ascent, y1: base + descent })) {
      this.hidden.push({ kind: 'text_of_hidden_layer', text: readable });
      return;
    }
    const run = {
      text: readable,
      x0,
      x1: Math.max(x1, x0 + 0.1),
      y0: base - ascent,
      y1: base + descent,
      base,
      size,
      font: font.name,
      color: style.color,
      isMono: font.isMono,
      block,
    };
    if (this.#isDrawnAgain(run, style.turns)) return;
    if (addRun(this.runs, run, style.turns, this.#open)) this.runOfObject.set(object, run);
    else this.hidden.push({ kind: 'text_outside_page', text: readable });
  }

  readonly #latest = new Map<number, Run[]>();

  /** Some programs draw a text twice to make it bold or give it a shadow. */
  #isDrawnAgain(run: Run, turns: number): boolean {
    for (let row = -1; row <= 1; row++)
      for (const last of this.#latest.get(rowKey(turns, run.base + row * ROW_HEIGHT)) ?? [])
        if (isOver(run, last)) return true;
    const key = rowKey(turns, run.base);
    const latest = this.#latest.get(key);
    if (latest === undefined) this.#latest.set(key, [run]);
    else if (latest.push(run) > MAX_LATEST) latest.shift();
    return false;
  }
}

/** Runs of a row that one is compared with. */
const MAX_LATEST = 64;

/** Whether a run covers a part of another one with the same text. */
function isOver(run: Run, { text, x0, x1, base, size }: Run): boolean {
  const least = Math.min(0.2 * size, 0.5 * (run.x1 - run.x0));
  if (run.x0 < x0 - least || run.x1 > x1 + least || Math.abs(run.base - base) > 0.2 * size) return false;
  const at = text.indexOf(run.text.trim());
  const place = x0 + (at / text.length) * (x1 - x0);
  const isThere = at !== -1 && Math.abs(run.x0 - place) < least + 0.1 * (x1 - x0);
  return isThere && Math.abs(run.size - size) < 0.2 * size;
}

const SPACE = 32;
const NO_BREAK_SPACE = 160;
/** Font sizes: gaps that PDFium takes for a space, but are narrower, are kerning. */
const NARROW_SPACE = 0.08;
/** What PDFium writes for the hyphen of a word that is divided at the end of a line. */
const DIVIDING_HYPHEN = 2;

function codeOf(unicode: number): number {
  if (unicode === DIVIDING_HYPHEN) return 0x2d;
  return unicode === 0 || unicode > 0x10ffff ? 0xfffd : unicode;
}

/** Tangent of the angle by which letters are slanted, as those of an italic that is made from an upright font. */
const MIN_SHEAR = 0.05;
/** Points between an origin in double and in single precision. */
const SAME_PLACE = 0.001;
const CUT_LENGTHS: ReadonlySet<number> = new Set([32_767, 16_383, 16_384]);
/** Units that one call can take as arguments. */
const MAX_PIECE = 1000;
const NO_CHARACTERS = { first: 0, last: -1, start: 0 };

/**
 * Whether a character belongs to a run: it follows closely, on the same base line, in the same style.
 *
 * @param advance distance from the origin of the last character
 */
function continues(
  run: Growing,
  endsWithSpace: boolean,
  x0: number,
  advance: number,
  base: number,
  style: Style,
): boolean {
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
    gap < (endsWithSpace ? (style.font.isMono ? 0.9 : 0.5) : MIN_SPACE) * size &&
    (gap > -0.3 * size || (gap > -size && advance > MIN_ADVANCE * size))
  );
}

/** Font sizes: some fonts give widths larger than advances. Letters that are drawn twice advance less. */
const MIN_ADVANCE = 0.2;
