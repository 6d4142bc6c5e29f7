import type { PdfFile } from './pdf-file.ts';
import type { Rectangle } from './pdfium.ts';
import type { Block, Roles } from './roles.ts';

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
  /** Red, green and blue in one number; 0 is black. */
  readonly color?: number;
  readonly isMono: boolean;
  readonly block: Block | undefined;
  /** The run that it is a part of. */
  readonly whole?: Run;
  /** The row of a table, whose text it is. */
  readonly row?: TableRow;
  /** From 0 to 1, of text that was recognized in a picture. */
  readonly confidence?: number;
}

/** A row of a table. */
export interface TableRow {
  readonly table: Table;
  /** The lines of text of each cell. */
  readonly cells: readonly (readonly string[])[];
  /** What was drawn in it. */
  readonly runs: readonly Run[];
}

export interface Table {
  readonly columns: number;
  /** The left edge of each column. */
  readonly lefts: readonly number[];
  /** It has rules between its cells. */
  readonly isRuled: boolean;
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
  /** It cannot be read. */
  readonly isFaulty: boolean;
  /** Characters that are left out, because no font says what they are. */
  readonly unreadable: number;
  /** Texts that nobody sees on the page, and ends of long strings, which are left out. */
  readonly hidden: readonly HiddenText[];
  /** Ligatures whose letters were inferred. */
  readonly inferred: number;
  /** Its text was recognized in its picture, or its picture has writing that cannot be. */
  readonly scan?: 'recognized' | 'unreadable';
  /** Lines of its picture that were recognized with little confidence. */
  readonly uncertain?: number;
  /** Angle in radians by which the lines of its picture rise; its runs are those of the straightened one. */
  readonly skew?: number;
}

/** A text that nobody sees, or of which nothing is known, by the reason. */
export interface HiddenText {
  readonly kind: 'text_of_hidden_layer' | 'text_outside_page' | 'rest_of_long_string' | 'unreadable_line';
  readonly text: string;
}

/** Left, top, right and bottom. */
export type Box = readonly [number, number, number, number];
export type Turnable = Pick<Run, 'x0' | 'x1' | 'y0' | 'y1'>;

/** A page that is open. */
export interface OpenPage {
  readonly file: PdfFile;
  readonly page: number;
  readonly box: Rectangle;
  /** Quarter turns clockwise by which the page is shown. */
  readonly rotation: number;
  readonly width: number;
  readonly height: number;
  readonly roles: Roles;
}

/** Adds a run to those of its direction, unless it is outside the page. */
export function addRun(
  runs: Map<number, Run[]>,
  run: Run,
  turns: number,
  { width, height }: Pick<Page, 'width' | 'height'>,
): boolean {
  const [right, bottom] = turns % 2 === 0 ? [width, height] : [height, width];
  if (run.x1 <= -1 || run.x0 >= right + 1 || run.y1 <= -1 || run.y0 >= bottom + 1) return false;
  const others = runs.get(turns);
  if (others === undefined) runs.set(turns, [run]);
  else others.push(run);
  return true;
}

/** A point of the file in the page as it is shown, from its top left corner. */
export function shown({ box, rotation }: OpenPage, x: number, y: number): [number, number] {
  const { left, bottom, right, top } = box;
  if (rotation === 0) return [x - left, top - y];
  if (rotation === 1) return [y - bottom, x - left];
  return rotation === 2 ? [right - x, y - bottom] : [top - y, right - x];
}

/** A rectangle of the file in the page as it is shown. */
export function shownRectangle(open: OpenPage, { left, bottom, right, top }: Rectangle): Turnable {
  const [ax, ay] = shown(open, left, bottom);
  const [bx, by] = shown(open, right, top);
  return { x0: Math.min(ax, bx), x1: Math.max(ax, bx), y0: Math.min(ay, by), y1: Math.max(ay, by) };
}

/** Coordinates in which text of a direction runs to the right. */
export function turned(
  x: number,
  y: number,
  turns: number,
  { width, height }: Pick<Page, 'width' | 'height'>,
): [number, number] {
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

/** Turns a rectangle of a straightened page to where it is shown. */
export function slanted(
  box: Turnable,
  { width, height, skew = 0 }: Pick<Page, 'width' | 'height' | 'skew'>,
): Turnable {
  if (skew === 0) return box;
  const [sine, cosine] = [Math.sin(skew), Math.cos(skew)];
  const corners = [box.x0, box.x1].flatMap((x) =>
    [box.y0, box.y1].map((y) => {
      const [right, down] = [x - width / 2, y - height / 2];
      return [width / 2 + right * cosine + down * sine, height / 2 - right * sine + down * cosine] as const;
    }),
  );
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return { x0: Math.min(...xs), x1: Math.max(...xs), y0: Math.min(...ys), y1: Math.max(...ys) };
}

const DECIMALS = 10_000;

/** A box in fractions of the page. */
export function boxOf({ x0, x1, y0, y1 }: Turnable, { width, height }: Pick<Page, 'width' | 'height'>): Box {
  const fraction = (length: number, whole: number) =>
    whole > 0 ? Math.round(Math.min(Math.max(length / whole, 0), 1) * DECIMALS) / DECIMALS : 0;
  return [fraction(x0, width), fraction(y0, height), fraction(x1, width), fraction(y1, height)];
}
