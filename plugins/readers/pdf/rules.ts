import { type OpenPage, shown, type Turnable, turned } from './page.ts';

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

type Point = readonly [number, number];
type Matrix = readonly number[];

/** Finds straight lines, thin filled rectangles, and the sides of rectangles that are stroked. */
export function findRules(open: OpenPage): Rules {
  const { pdfium } = open.file;
  const { call, scratch } = pdfium;
  const found: Turnable[] = [];
  let objects = 0;
  let segments = 0;
  const matrixOf = (object: number, outer: Matrix): Matrix => {
    if (call.FPDFPageObj_GetMatrix(object, scratch) === 0) return outer;
    return multiplied(
      [0, 1, 2, 3, 4, 5].map((at) => pdfium.float32(at)),
      outer,
    );
  };
  const readPath = (path: number, outer: Matrix): void => {
    const count = call.FPDFPath_CountSegments(path);
    if (count < 2 || count > MAX_SEGMENTS_OF_PATH) return;
    segments += count;
    const matrix = matrixOf(path, outer);
    call.FPDFPath_GetDrawMode(path, scratch, scratch + 4);
    const isStroked = pdfium.int32(1) !== 0;
    if (!isStroked && pdfium.int32(0) === 0) return;
    let points: Point[] = [];
    const end = (): void => {
      found.push(...(isStroked ? sidesOf(points) : thinBoxOf(points)));
      points = [];
    };
    for (let index = 0; index < count; index++) {
      const segment = call.FPDFPath_GetPathSegment(path, index);
      const type = call.FPDFPathSegment_GetType(segment);
      if (type === MOVE_TO) end();
      else if (type !== LINE_TO) return;
      call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
      const [x, y] = applied(matrix, pdfium.float32(0), pdfium.float32(1));
      points.push(shown(open, x, y));
      if (call.FPDFPathSegment_GetClose(segment) !== 0 && points[0] !== undefined) points.push(points[0]);
    }
    end();
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
  walk(count, (index) => call.FPDFPage_GetObject(open.page, index), [1, 0, 0, 1, 0, 0], 0);
  return rulesOf(found);
}

const multiplied = ([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix, outer: Matrix): Matrix => {
  const [x0, y0] = applied(outer, 0, 0);
  const [x, y, z] = [applied(outer, a, b), applied(outer, c, d), applied(outer, e, f)];
  return [x[0] - x0, x[1] - y0, y[0] - x0, y[1] - y0, ...z];
};

const applied = ([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix, x: number, y: number): Point => [
  a * x + c * y + e,
  b * x + d * y + f,
];

function sidesOf(points: readonly Point[]): Turnable[] {
  return points.slice(1).map((point, index) => around([point, points[index] ?? point]));
}

function thinBoxOf(points: readonly Point[]): Turnable[] {
  if (points.length < 2) return [];
  return [around(points)];
}

function around(points: readonly Point[]): Turnable {
  const [x, y] = [points.map((point) => point[0]), points.map((point) => point[1])];
  return { x0: Math.min(...x), x1: Math.max(...x), y0: Math.min(...y), y1: Math.max(...y) };
}

function rulesOf(boxes: readonly Turnable[]): Rules {
  const across: Rule[] = [];
  const down: Rule[] = [];
  for (const { x0, x1, y0, y1 } of boxes) {
    const [width, height] = [x1 - x0, y1 - y0];
    if (!(Math.min(width, height) <= MAX_WIDTH)) continue;
    if (width >= height) across.push({ at: (y0 + y1) / 2, from: x0, to: x1 });
    if (height >= width) down.push({ at: (x0 + x1) / 2, from: y0, to: y1 });
  }
  return { across: joined(across), down: joined(down) };
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
  const turnedBox = (ax: number, ay: number, bx: number, by: number) =>
    around([turned(ax, ay, turns, open), turned(bx, by, turns, open)]);
  return rulesOf([
    ...across.map(({ at, from, to }) => turnedBox(from, at, to, at)),
    ...down.map(({ at, from, to }) => turnedBox(at, from, at, to)),
  ]);
}
