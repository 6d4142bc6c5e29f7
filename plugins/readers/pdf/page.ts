import type { PDFPageProxy } from 'pdfjs-dist';
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
  /** By the direction of the text, in clockwise quarter turns from left-to-right. */
  readonly runs: ReadonlyMap<number, Run[]>;
  readonly figures: readonly Figure[];
}

/** Left, top, right and bottom. */
export type Box = readonly [number, number, number, number];
export type Turnable = Pick<Run, 'x0' | 'x1' | 'y0' | 'y1'>;
type Viewport = ReturnType<PDFPageProxy['getViewport']>;
type Content = Awaited<ReturnType<PDFPageProxy['getTextContent']>>;
type Item = Content['items'][number];
type TextItem = Extract<Item, { str: string }>;
/** The type of pdf.js lacks the member `tag`. */
type MarkedContent = Exclude<Item, TextItem> & { readonly tag?: string };
type Annotation = Awaited<ReturnType<PDFPageProxy['getAnnotations']>>[number];

/** Extracts the text of a page: its content, the values of forms, and the descriptions of pictures. */
export async function extractPage(page: PDFPageProxy, isTagged: boolean): Promise<Page> {
  const [content, annotations, tree] = await Promise.all([
    page.getTextContent({ includeMarkedContent: true }),
    page.getAnnotations({ intent: 'display' }),
    isTagged ? page.getStructTree() : undefined,
  ]);
  const viewport = page.getViewport({ scale: 1 });
  const collector = new Collector(viewport, content.styles, findRoles(tree));
  for (const item of content.items) collector.add(item);
  for (const annotation of annotations) collector.addAnnotation(annotation);
  const { width, height } = viewport;
  return { number: page.pageNumber, width, height, runs: collector.runs, figures: collector.figures };
}

class Collector {
  readonly runs = new Map<number, Run[]>();
  readonly figures: Figure[] = [];
  readonly #viewport: Viewport;
  readonly #styles: Content['styles'];
  readonly #roles: Roles;
  readonly #described = new Set<Block>();
  /** The block of each marked content that is open. */
  readonly #open: (Block | undefined)[] = [];
  #last: Run | undefined;

  constructor(viewport: Viewport, styles: Content['styles'], roles: Roles) {
    this.#viewport = viewport;
    this.#styles = styles;
    this.#roles = roles;
  }

  add(item: Item): void {
    if ('str' in item) this.#addText(item);
    else if (item.type === 'endMarkedContent') this.#open.pop();
    else this.#begin(item as MarkedContent);
  }

  #begin({ tag, id }: MarkedContent): void {
    const own = tag === 'Artifact' ? ARTIFACT : this.#roles.get(id ?? '');
    this.#open.push(own ?? this.#open.at(-1));
    const { alt, bounds } = own?.figure ?? {};
    if (own === undefined || alt === undefined || this.#described.has(own)) return;
    this.#described.add(own);
    const box = bounds && boxOf(this.#shown(bounds), this.#viewport);
    this.figures.push({ text: alt, box, after: this.#last });
  }

  #addText({ str, transform, fontName, width, height }: TextItem): void {
    const text = cleaned(str);
    if (text.trim() === '') return;
    const [va, vb, vc, vd, ve, vf] = this.#viewport.transform as unknown as Matrix;
    const [a, b, c, d, e, f] = transform as unknown as Matrix;
    const style = this.#styles[fontName];
    const isVertical = style?.vertical === true;
    const [dx, dy] = isVertical ? [-c, -d] : [a, b];
    const turns = quarterTurns(va * dx + vc * dy, vb * dx + vd * dy);
    const [x, y] = turned(va * e + vc * f + ve, vb * e + vd * f + vf, turns, this.#viewport);
    // A file may have larger units than points.
    const unit = Math.hypot(va, vb);
    const size = unit * ((isVertical ? 0 : Math.hypot(c, d)) || Math.hypot(a, b) || 1);
    const length = Math.max(unit * (isVertical ? height || width : width), 0.1);
    // Fonts often give wrong ascents and descents.
    const ascent = isVertical ? size / 2 : within(style?.ascent, 0.6, 1, 0.8) * size;
    const descent = isVertical ? size / 2 : within(-(style?.descent ?? 0), 0.1, 0.4, 0.2) * size;
    this.#put(turns, {
      text,
      x0: x,
      x1: x + length,
      y0: y - ascent,
      y1: y + descent,
      base: y,
      size,
      font: fontName,
      isMono: style?.fontFamily === 'monospace',
      block: this.#open.at(-1),
    });
  }

  #put(turns: number, run: Run): void {
    const { width, height } = this.#viewport;
    const [right, bottom] = turns % 2 === 0 ? [width, height] : [height, width];
    const isShown = run.x1 > -1 && run.x0 < right + 1 && run.y1 > -1 && run.y0 < bottom + 1;
    if (!isShown) return;
    const runs = this.runs.get(turns) ?? [];
    if (runs.length === 0) this.runs.set(turns, runs);
    runs.push(run);
    this.#last = run;
  }

  addAnnotation(annotation: Annotation): void {
    const lines = valuesOf(annotation)
      .join('\n')
      .split(/\r\n?|\n/)
      .map(cleaned);
    const written = lines.filter((line) => line.trim() !== '');
    // The window of a note may have no rectangle, although the type of `rect` does not allow null.
    const rectangle = annotation.rect as readonly number[] | null;
    if (written.length === 0 || rectangle === null) return;
    const { x0, x1, y0, y1 } = this.#shown(rectangle);
    const height = (y1 - y0) / written.length;
    const size = Math.max(Math.min(height * 0.75, 12), 0.1);
    for (const [index, text] of written.entries()) {
      const base = y0 + index * height + (height + size * 0.7) / 2;
      const across = { x0, x1: Math.max(x1, x0 + 0.1), y0: base - size * 0.8, y1: base + size * 0.2 };
      this.#put(0, { text, ...across, base, size, font: 'annotation', isMono: false, block: undefined });
    }
  }

  /** A rectangle of the file in coordinates of the shown page. */
  #shown([left, bottom, right, top]: readonly number[]): Turnable {
    const [ax, ay] = this.#viewport.convertToViewportPoint(left ?? 0, bottom ?? 0) as [number, number];
    const [bx, by] = this.#viewport.convertToViewportPoint(right ?? 0, top ?? 0) as [number, number];
    return { x0: Math.min(ax, bx), x1: Math.max(ax, bx), y0: Math.min(ay, by), y1: Math.max(ay, by) };
  }
}

type Matrix = readonly [number, number, number, number, number, number];
const ARTIFACT: Block = { role: 'Artifact' };

const quarterTurns = (dx: number, dy: number): number =>
  ((Math.round(Math.atan2(dy, dx) / (Math.PI / 2)) % 4) + 4) % 4;

const within = (value: number | undefined, low: number, high: number, usual: number): number =>
  value !== undefined && value >= low && value <= high ? value : usual;

/** The visible values of a form field or a text annotation. */
function valuesOf({ hidden, subtype, fieldValue, contentsObj, ...field }: Annotation): string[] {
  if (hidden) return [];
  const isText = !(field.checkBox || field.radioButton || field.pushButton || field.password);
  const value = subtype === 'Widget' && isText ? fieldValue : subtype === 'FreeText' ? contentsObj?.str : '';
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}

const ACCENTS: Readonly<Record<string, string>> = {
  '\u00a8': '\u0308',
  '\u00b4': '\u0301',
  '\u02c6': '\u0302',
  '\u02dc': '\u0303',
  '\u02c7': '\u030c',
  '\u02da': '\u030a',
  '\u02d9': '\u0307',
  '\u02dd': '\u030b',
  '\u02d8': '\u0306',
};
const LOOSE_ACCENT = /([\u00a8\u00b4\u02c6\u02dc\u02c7\u02da\u02d9\u02dd\u02d8]) ?([a-zA-Z\u0131\u0237])/g;
const DOTLESS: Readonly<Record<string, string>> = { '\u0131': 'i', '\u0237': 'j' };
const C1 = /[\u0080-\u009f]/g;
const WINDOWS = new TextDecoder('windows-1252');
/** Lam and alef that are drawn as one sign are extracted in the wrong order. */
const LAM_ALEF = /\u0627([\u0625\u0623\u0622])\u0644/g;

/** Replaces characters that fonts and TeX encode in their own ways. */
function cleaned(text: string): string {
  return text
    .toWellFormed()
    .replace(C1, (sign) => WINDOWS.decode(Uint8Array.of(sign.charCodeAt(0))))
    .replace(LAM_ALEF, '\u0627\u0644$1')
    .replace(LOOSE_ACCENT, (_, accent: string, letter: string) =>
      `${DOTLESS[letter] ?? letter}${ACCENTS[accent]}`.normalize('NFC'),
    );
}

/** Turns coordinates so that the text of a direction runs to the right. */
function turned(x: number, y: number, turns: number, { width, height }: Viewport): [number, number] {
  if (turns === 0) return [x, y];
  if (turns === 1) return [y, width - x];
  return turns === 2 ? [width - x, height - y] : [height - y, x];
}

/** Turns coordinates back to the page as it is shown. */
export function turnedBack(box: Turnable, turns: number, page: Pick<Page, 'width' | 'height'>): Turnable {
  const { x0, x1, y0, y1 } = box;
  const { width, height } = page;
  if (turns === 0) return box;
  if (turns === 1) return { x0: width - y1, x1: width - y0, y0: x0, y1: x1 };
  if (turns === 2) return { x0: width - x1, x1: width - x0, y0: height - y1, y1: height - y0 };
  return { x0: y0, x1: y1, y0: height - x1, y1: height - x0 };
}

const DECIMALS = 10_000;

/** A box in fractions of the page. */
export function boxOf({ x0, x1, y0, y1 }: Turnable, { width, height }: Pick<Page, 'width' | 'height'>): Box {
  const fraction = (length: number, whole: number) =>
    whole > 0 ? Math.round(Math.min(Math.max(length / whole, 0), 1) * DECIMALS) / DECIMALS : 0;
  return [fraction(x0, width), fraction(y0, height), fraction(x1, width), fraction(y1, height)];
}
