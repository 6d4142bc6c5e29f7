import { type OpenPage, shown, turned } from './page.ts';

/** A straight line along one axis: its place on the other axis, and its ends. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** The rules that a page draws, from top to bottom and from left to right. */
export interface Rules {
  readonly across: readonly Rule[];
  readonly down: readonly Rule[];
}

/** Types of page objects and segments, by the headers of PDFium. */
const PATH = 2;
const FORM = 5;
const LINE_TO = 0;
const MOVE_TO = 2;
const MAX_FORMS = 8;
/** A page that draws more is a drawing: objects, segments of a path and of a page, and rules on each axis. */
const MAX_OBJECTS = 50_000;
const MAX_SEGMENTS_OF_PATH = 4000;
const MAX_SEGMENTS = 60_000;
const MAX_RULES = 1500;
/** Points: width of a filled rectangle that is a rule, gap between dashes, distance of lines that are one, least length. */
const MAX_WIDTH = 3;
const MAX_GAP = 3.5;
const SAME = 2;
const MIN_LENGTH = 8;

/** The six numbers of an affine map, in the order of PDF. */
type Matrix = readonly [number, number, number, number, number, number];

/** Finds straight lines, thin filled rectangles, and the sides of rectangles that are stroked. */
export function findRules(open: OpenPage): Rules {
  const { pdfium } = open.file;
  const { call, scratch } = pdfium;
  const lines = new Lines();
  let objects = 0;
  let segments = 0;
  const matrixOf = (object: number, outer: Matrix): Matrix => {
    if (call.FPDFPageObj_GetMatrix(object, scratch) === 0) return outer;
    const at = (index: number) => pdfium.float32(index);
    return multiplied([at(0), at(1), at(2), at(3), at(4), at(5)], outer);
  };
  const readPath = (path: number, outer: Matrix): void => {
    const count = call.FPDFPath_CountSegments(path);
    if (count < 2 || count > MAX_SEGMENTS_OF_PATH) return;
    segments += count;
    call.FPDFPath_GetDrawMode(path, scratch, scratch + 4);
    const isStroked = pdfium.int32(1) !== 0;
    if (!isStroked && pdfium.int32(0) === 0) return;
    const [a, b, c, d, e, f] = matrixOf(path, outer);
    let kept = lines.count;
    let [x, y, firstX, firstY] = [0, 0, 0, 0];
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let index = 0; index <= count; index++) {
      const segment = index < count ? call.FPDFPath_GetPathSegment(path, index) : 0;
      const type = segment === 0 ? MOVE_TO : call.FPDFPathSegment_GetType(segment);
      if (type === MOVE_TO) {
        if (!isStroked && x1 > -Infinity) lines.add(x0, y0, x1, y1);
        kept = lines.count;
        [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
      } else if (type !== LINE_TO) {
        lines.cut(kept);
        return;
      }
      if (segment === 0) return;
      call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
      const u = pdfium.float32(0);
      const v = pdfium.float32(1);
      const toX = a * u + c * v + e;
      const toY = b * u + d * v + f;
      if (type === MOVE_TO) {
        firstX = toX;
        firstY = toY;
      } else if (isStroked) lines.add(x, y, toX, toY);
      x = toX;
      y = toY;
      x0 = Math.min(x0, x);
      y0 = Math.min(y0, y);
      x1 = Math.max(x1, x);
      y1 = Math.max(y1, y);
      if (isStroked && call.FPDFPathSegment_GetClose(segment) !== 0) lines.add(x, y, firstX, firstY);
    }
  };
  const walk = (count: number, at: (index: number) => number, outer: Matrix, depth: number): void => {
    for (let index = 0; index < count && objects < MAX_OBJECTS && segments < MAX_SEGMENTS; index++) {
      objects++;
      const object = at(index);
      const type = call.FPDFPageObj_GetType(object);
      if (type === PATH) readPath(object, outer);
      if (type !== FORM || depth >= MAX_FORMS) continue;
      const inner = (at: number) => call.FPDFFormObj_GetObject(object, at);
      walk(call.FPDFFormObj_CountObjects(object), inner, matrixOf(object, outer), depth + 1);
    }
  };
  const count = call.FPDFPage_CountObjects(open.page);
  const [e, f] = shown(open, 0, 0);
  const [right, up] = [shown(open, 1, 0), shown(open, 0, 1)];
  const matrix: Matrix = [right[0] - e, right[1] - f, up[0] - e, up[1] - f, e, f];
  walk(count, (index) => call.FPDFPage_GetObject(open.page, index), matrix, 0);
  return lines.rules();
}

const multiplied = ([a, b, c, d, e, f]: Matrix, [a2, b2, c2, d2, e2, f2]: Matrix): Matrix => [
  a * a2 + b * c2,
  a * b2 + b * d2,
  c * a2 + d * c2,
  c * b2 + d * d2,
  e * a2 + f * c2 + e2,
  e * b2 + f * d2 + f2,
];

/** Lines along the axes. */
class Lines {
  readonly #across: Rule[] = [];
  readonly #down: Rule[] = [];

  add(ax: number, ay: number, bx: number, by: number): void {
    const [width, height] = [Math.abs(bx - ax), Math.abs(by - ay)];
    if (!(Math.min(width, height) <= MAX_WIDTH)) return;
    if (width >= height)
      this.#across.push({ at: (ay + by) / 2, from: Math.min(ax, bx), to: Math.max(ax, bx) });
    if (height >= width) this.#down.push({ at: (ax + bx) / 2, from: Math.min(ay, by), to: Math.max(ay, by) });
  }

  get count(): readonly [number, number] {
    return [this.#across.length, this.#down.length];
  }

  /** Removes the last ones. */
  cut([across, down]: readonly [number, number]): void {
    this.#across.length = across;
    this.#down.length = down;
  }

  rules(): Rules {
    return { across: joined(this.#across), down: joined(this.#down) };
  }
}

/** Joins pieces of one line. A drawing has no rules. */
function joined(pieces: Rule[]): Rule[] {
  const rules: Rule[] = [];
  let group: Rule[] = [];
  const end = (): void => {
    let last: { at: number; from: number; to: number } | undefined;
    for (const { at, from, to } of group.sort((a, b) => a.from - b.from)) {
      if (last !== undefined && from - last.to <= MAX_GAP) last.to = Math.max(last.to, to);
      else {
        last = { at, from, to };
        rules.push(last);
      }
    }
    group = [];
  };
  for (const piece of pieces.sort((a, b) => a.at - b.at)) {
    if (group[0] !== undefined && piece.at - group[0].at > SAME) end();
    group.push(piece);
  }
  end();
  const long = rules.filter(({ from, to }) => to - from >= MIN_LENGTH);
  return long.length > MAX_RULES ? [] : long;
}

/** The rules in coordinates in which text of a direction runs to the right. */
export function turnedRules({ across, down }: Rules, turns: number, open: OpenPage): Rules {
  if (turns === 0) return { across, down };
  const lines = new Lines();
  const add = (ax: number, ay: number, bx: number, by: number) =>
    lines.add(...turned(ax, ay, turns, open), ...turned(bx, by, turns, open));
  for (const { at, from, to } of across) add(from, at, to, at);
  for (const { at, from, to } of down) add(at, from, at, to);
  return lines.rules();
}
