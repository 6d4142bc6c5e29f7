import { cleaned, UNREADABLE, withoutUnreadable } from './characters.ts';
import { type Drawing, drawPage, isBlank } from './layers.ts';
import type { PdfFile, Pdfium, Rectangle } from './pdfium.ts';
import { type Block, findRoles, type Roles } from './roles.ts';

/**
 * A stretch of text that the file draws at once. Its coordinates are points in a page that is turned so that the text runs
 * from left to right, from its top left corner.
 */
export interface Run {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
  readonly base: number;
  readonly size: number;
  readonly font: string;
  readonly isMono: boolean;
  readonly block: Block | undefined;
}

/** A picture of a tagged file that has a description. */
export interface Figure {
  readonly text: string;
  readonly box: Box | undefined;
  /** The run drawn before it. */
  readonly after: Run | undefined;
}

export interface Page {
  readonly number: number;
  /** In points, as the page is shown. */
  readonly width: number;
  readonly height: number;
  /** By quarter turns of their direction, clockwise from left to right. */
  readonly runs: ReadonlyMap<number, Run[]>;
  readonly figures: readonly Figure[];
  /** It cannot be read. */
  readonly isFaulty: boolean;
  /** Characters that are left out, because no font says what they are. */
  readonly unreadable: number;
}

/** Left, top, right and bottom. */
export type Box = readonly [number, number, number, number];
export type Turnable = Pick<Run, 'x0' | 'x1' | 'y0' | 'y1'>;

/** A page that is open. */
interface OpenPage {
  readonly file: PdfFile;
  readonly page: number;
  readonly box: Rectangle;
  /** Quarter turns clockwise by which the page is shown. */
  readonly rotation: number;
  readonly width: number;
  readonly height: number;
  readonly roles: Roles;
}

/** Extracts what a page says: its content, what was filled into forms, and descriptions of pictures. */
export function extractPage(file: PdfFile, index: number): Page {
  const { call } = file.pdfium;
  const number = index + 1;
  const page = call.FPDF_LoadPage(file.document, index);
  if (page === 0)
    return { number, width: 0, height: 0, runs: new Map(), figures: [], unreadable: 0, isFaulty: true };
  try {
    const open = openPage(file, page);
    const { width, height } = open;
    const collector = new Collector(open);
    collector.addText();
    collector.addFigures();
    collector.addAnnotations();
    const { runs, figures, unreadable } = collector;
    return { number, width, height, runs, figures, unreadable, isFaulty: false };
  } finally {
    call.FPDF_ClosePage(page);
  }
}

function openPage(file: PdfFile, page: number): OpenPage {
  const { pdfium } = file;
  pdfium.call.FPDF_GetPageBoundingBox(page, pdfium.scratch);
  const box = pdfium.rectangle();
  const rotation = pdfium.call.FPDFPage_GetRotation(page);
  const across = box.right - box.left;
  const up = box.top - box.bottom;
  const [width, height] = rotation % 2 === 0 ? [across, up] : [up, across];
  const roles = file.isTagged ? findRoles(pdfium, page) : NO_ROLES;
  return { file, page, box, rotation, width, height, roles };
}

const NO_ROLES: Roles = new Map();

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

/** Type of a page object that has objects of its own, and how deep these are looked at. */
const FORM = 5;
const MAX_FORMS = 8;

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

class Collector {
  readonly runs = new Map<number, Run[]>();
  readonly figures: Figure[] = [];
  unreadable = 0;
  readonly #open: OpenPage;
  readonly #pdfium: Pdfium;
  readonly #fonts = new Map<number, Font>();
  /** The last run of each text object. */
  readonly #runOfObject = new Map<number, Run>();
  #growing: Growing | undefined;

  constructor(open: OpenPage) {
    this.#open = open;
    this.#pdfium = open.file.pdfium;
  }

  addText(): void {
    const { call } = this.#pdfium;
    const text = call.FPDFText_LoadPage(this.#open.page);
    if (text === 0) return;
    try {
      const count = call.FPDFText_CountChars(text);
      for (let index = 0; index < count; index++) this.#addCharacter(text, index);
      this.#finish();
    } finally {
      call.FPDFText_ClosePage(text);
    }
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
    const [originX, originY] = this.#shown(this.#pdfium.float64(0), this.#pdfium.float64(1));
    const [x, base] = turned(originX, originY, turns, this.#open);
    call.FPDFText_GetLooseCharBox(text, index, scratch);
    const { left, right, top, bottom } = this.#pdfium.rectangle();
    const [ax, ay] = this.#shown(left, bottom);
    const [bx, by] = this.#shown(right, top);
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
    const run = this.#put(style.turns, {
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
    });
    if (run !== undefined) this.#runOfObject.set(object, run);
  }

  #put(turns: number, run: Run): Run | undefined {
    const { width, height } = this.#open;
    const [right, bottom] = turns % 2 === 0 ? [width, height] : [height, width];
    const isShown = run.x1 > -1 && run.x0 < right + 1 && run.y1 > -1 && run.y0 < bottom + 1;
    if (!isShown) return undefined;
    const runs = this.runs.get(turns) ?? [];
    if (runs.length === 0) this.runs.set(turns, runs);
    runs.push(run);
    return run;
  }

  /** Adds the described pictures of a tagged file, each after the text that is drawn before it. */
  addFigures(): void {
    const { roles, page } = this.#open;
    if (![...roles.values()].some(({ figure }) => figure !== undefined)) return;
    const { call } = this.#pdfium;
    const boxes = new Map<Block, { after: Run | undefined; box: Turnable | undefined }>();
    let last: Run | undefined;
    const walk = (count: number, at: (index: number) => number, depth: number): void => {
      for (let index = 0; index < count; index++) {
        const object = at(index);
        last = this.#runOfObject.get(object) ?? last;
        const block = this.#blockOf(object);
        if (block?.figure !== undefined) {
          const known = boxes.get(block);
          boxes.set(block, {
            after: known === undefined ? last : known.after,
            box: this.#joined(known?.box, object),
          });
        }
        if (call.FPDFPageObj_GetType(object) !== FORM || depth >= MAX_FORMS) continue;
        walk(
          call.FPDFFormObj_CountObjects(object),
          (inner) => call.FPDFFormObj_GetObject(object, inner),
          depth + 1,
        );
      }
    };
    walk(call.FPDFPage_CountObjects(page), (index) => call.FPDFPage_GetObject(page, index), 0);
    for (const block of new Set(roles.values())) {
      if (block.figure?.alt === undefined) continue;
      const { after, box } = boxes.get(block) ?? { after: last, box: undefined };
      this.figures.push({ text: block.figure.alt, box: box && boxOf(box, this.#open), after });
    }
  }

  /** The smallest rectangle around a box and what an object draws. */
  #joined(box: Turnable | undefined, object: number): Turnable | undefined {
    const { call, scratch } = this.#pdfium;
    if (call.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return box;
    const [left, bottom, right, top] = [0, 1, 2, 3].map((at) => this.#pdfium.float32(at)) as [
      number,
      number,
      number,
      number,
    ];
    const [ax, ay] = this.#shown(left, bottom);
    const [bx, by] = this.#shown(right, top);
    return {
      x0: Math.min(ax, bx, box?.x0 ?? Infinity),
      x1: Math.max(ax, bx, box?.x1 ?? -Infinity),
      y0: Math.min(ay, by, box?.y0 ?? Infinity),
      y1: Math.max(ay, by, box?.y1 ?? -Infinity),
    };
  }

  addAnnotations(): void {
    const { call } = this.#pdfium;
    const count = call.FPDFPage_GetAnnotCount(this.#open.page);
    for (let index = 0; index < count; index++) {
      const annotation = call.FPDFPage_GetAnnot(this.#open.page, index);
      if (annotation === 0) continue;
      try {
        this.#addAnnotation(annotation);
      } finally {
        call.FPDFPage_CloseAnnot(annotation);
      }
    }
  }

  #addAnnotation(annotation: number): void {
    const { call, scratch } = this.#pdfium;
    const lines = valueOf(this.#open.file, annotation)
      .split(/\r\n?|\n/)
      .map(cleaned)
      .filter((line) => line.trim() !== '');
    if (lines.length === 0 || call.FPDFAnnot_GetRect(annotation, scratch) === 0) return;
    const { left, bottom, right, top } = this.#pdfium.rectangle();
    const [ax, ay] = this.#shown(left, bottom);
    const [bx, by] = this.#shown(right, top);
    const [x0, x1, y0, y1] = [Math.min(ax, bx), Math.max(ax, bx), Math.min(ay, by), Math.max(ay, by)];
    const height = (y1 - y0) / lines.length;
    const size = Math.max(Math.min(height * 0.75, 12), 0.1);
    for (const [index, text] of lines.entries()) {
      const base = y0 + index * height + (height + size * 0.7) / 2;
      this.#put(0, {
        text,
        x0,
        x1: Math.max(x1, x0 + 0.1),
        y0: base - size * 0.8,
        y1: base + size * 0.2,
        base,
        size,
        font: 'annotation',
        isMono: false,
        block: undefined,
      });
    }
  }

  /** A point of the file in the page as it is shown, from its top left corner. */
  #shown(x: number, y: number): [number, number] {
    const { left, bottom, right, top } = this.#open.box;
    const { rotation } = this.#open;
    if (rotation === 0) return [x - left, top - y];
    if (rotation === 1) return [y - bottom, x - left];
    return rotation === 2 ? [right - x, y - bottom] : [top - y, right - x];
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
    gap < (run.text.endsWith(' ') ? 0.9 : 0.16) * size &&
    gap > -0.3 * size
  );
}

/** Annotation subtypes and form field types of PDFium's headers. */
const FREE_TEXT = 3;
const WIDGET = 20;
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const TEXT_FIELD = 6;
const HIDDEN = 1 << 1;
const PASSWORD_FIELD = 1 << 13;

/** What a reader of the page sees of an annotation, besides the page's content. */
function valueOf({ pdfium, form }: PdfFile, annotation: number): string {
  const { call } = pdfium;
  if ((call.FPDFAnnot_GetFlags(annotation) & HIDDEN) !== 0) return '';
  const subtype = call.FPDFAnnot_GetSubtype(annotation);
  if (subtype === FREE_TEXT) return pdfium.annotationText(annotation, 'Contents');
  if (subtype !== WIDGET || form === 0) return '';
  const type = call.FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === CHECK_BOX || type === RADIO_BUTTON)
    return call.FPDFAnnot_IsChecked(form, annotation) === 1 ? '[x]' : '[ ]';
  if (type !== TEXT_FIELD && type !== COMBO_BOX && type !== LIST_BOX) return '';
  if (type === TEXT_FIELD && (call.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD_FIELD) !== 0)
    return '';
  return pdfium.utf16((buffer, bytes) => call.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, bytes));
}

const within = (value: number | undefined, low: number, high: number, usual: number): number =>
  value !== undefined && value >= low && value <= high ? value : usual;

/** Coordinates in which text of a direction runs to the right. */
function turned(
  x: number,
  y: number,
  turns: number,
  { width, height }: Pick<Page, 'width' | 'height'>,
): [number, number] {
  if (turns === 0) return [x, y];
  if (turns === 1) return [y, width - x];
  return turns === 2 ? [width - x, height - y] : [height - y, x];
}

/** Back to the page as it is shown. */
export function turnedBack(box: Turnable, turns: number, page: Pick<Page, 'width' | 'height'>): Turnable {
  const { x0, x1, y0, y1 } = box;
  const { width, height } = page;
  if (turns === 0) return box;
  if (turns === 1) return { x0: width - y1, x1: width - y0, y0: x0, y1: x1 };
  if (turns === 2) return { x0: width - x1, x1: width - x0, y0: height - y1, y1: height - y0 };
  return { x0: y0, x1: y1, y0: height - x1, y1: height - x0 };
}

const DECIMALS = 10_000;

/** As fractions of the page. */
export function boxOf({ x0, x1, y0, y1 }: Turnable, { width, height }: Pick<Page, 'width' | 'height'>): Box {
  const fraction = (length: number, whole: number) =>
    whole > 0 ? Math.round(Math.min(Math.max(length / whole, 0), 1) * DECIMALS) / DECIMALS : 0;
  return [fraction(x0, width), fraction(y0, height), fraction(x1, width), fraction(y1, height)];
}
