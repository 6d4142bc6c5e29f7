import { rowsOf } from './columns.ts';
import type { Run, Turnable } from './page.ts';
import type { Rule, Rules } from './rules.ts';

/** What rules enclose: the edges of its columns and rows, its cells, and where runs are in it. */
export interface Grid extends Turnable {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** How many cells it has; merged ones are one. */
  readonly cells: number;
  readonly placesOf: (runs: readonly Run[]) => Map<Run, Place>;
}

/** The row of a run, and a point in its column: those in which its cell begins. */
export interface Place {
  readonly row: number;
  readonly x: number;
}

/** Points within which rules touch, and edges are one. */
const NEAR = 3;
/** Larger grids are drawings, and pages with more are not looked at. */
const MAX_CELLS = 20_000;
const MAX_GRIDS = 200;

/** Finds the grids of a page, the smallest first. */
export function findGrids({ across, down }: Rules): Grid[] {
  // A rule across and one down are a corner; what it belongs to may be a stack.
  const crossed = components(across, down).filter(
    (grid) => grid.across.length > 1 && grid.across.length + grid.down.length > 3,
  );
  const used = new Set(crossed.flatMap((grid) => grid.across));
  const free = across.filter((rule) => !used.has(rule));
  const grids = crossed.flatMap((grid) => gridOf(grid.across, grid.down) ?? []);
  const stacks = stacked(free).flatMap((rules) => gridOf(rules, []) ?? []);
  const areaOf = ({ x0, x1, y0, y1 }: Grid) => (x1 - x0) * (y1 - y0);
  return [...grids, ...stacks].sort((a, b) => areaOf(a) - areaOf(b)).slice(0, MAX_GRIDS);
}

interface Component {
  readonly across: Rule[];
  readonly down: Rule[];
}

/** Rules that touch each other, directly or through others. */
function components(across: readonly Rule[], down: readonly Rule[]): Component[] {
  const parents = [...across, ...down].map((_, index) => index);
  const sorted = down.map((rule, index) => ({ ...rule, index })).sort((a, b) => a.at - b.at);
  for (const [at, { at: y, from, to }] of across.entries())
    for (const rule of sorted) {
      if (rule.at > to + NEAR) break;
      if (rule.at >= from - NEAR && y >= rule.from - NEAR && y <= rule.to + NEAR)
        unite(parents, at, across.length + rule.index);
    }
  const groups = new Map<number, Component>();
  for (const [index, rule] of [...across, ...down].entries()) {
    const root = rootOf(parents, index);
    const group = groups.get(root) ?? { across: [], down: [] };
    groups.set(root, group);
    (index < across.length ? group.across : group.down).push(rule);
  }
  return [...groups.values()].filter((group) => group.down.length > 0 && group.across.length > 0);
}

function rootOf(parents: number[], index: number): number {
  let at = index;
  while (parents[at] !== at) {
    parents[at] = parents[parents[at] as number] as number;
    at = parents[at] as number;
  }
  return at;
}

function unite(parents: number[], a: number, b: number): void {
  const [one, other] = [rootOf(parents, a), rootOf(parents, b)];
  parents[Math.max(one, other)] = Math.min(one, other);
}

/** Rules below each other with the same ends. A wider rule between them divides what they enclose. */
function stacked(rules: readonly Rule[]): Rule[][] {
  const stacks: Rule[][] = [];
  let open: Rule[][] = [];
  for (const rule of rules) {
    const isNear = (a: number, b: number) => Math.abs(a - b) < 2 * NEAR;
    const stack = open.findLast(
      ([first]) => first && isNear(first.from, rule.from) && isNear(first.to, rule.to),
    ) ?? [rule];
    if (stack[0] === rule) stacks.push(stack);
    else stack.push(rule);
    open = open.filter(([first]) => !first || first.from < rule.from - NEAR || first.to > rule.to + NEAR);
    open.push(stack);
  }
  return stacks.filter(({ length }) => length > 1);
}

function edgesOf(positions: readonly number[]): number[] {
  const edges: number[] = [];
  for (const position of positions.toSorted((a, b) => a - b))
    if (position - (edges.at(-1) ?? -Infinity) > NEAR) edges.push(position);
  return edges;
}

function gridOf(across: readonly Rule[], down: readonly Rule[]): Grid | undefined {
  const extent = (rules: readonly Rule[]) => rules.flatMap(({ from, to }) => [from, to]);
  const ends = (positions: readonly number[]) => [Math.min(...positions), Math.max(...positions)];
  const xs = edgesOf([...down.map(({ at }) => at), ...ends(extent(across))]);
  const ys = edgesOf([...across.map(({ at }) => at), ...(down.length > 0 ? ends(extent(down)) : [])]);
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (rows < 1 || columns < 1 || rows * columns > MAX_CELLS) return undefined;
  const parents = Array.from({ length: rows * columns }, (_, index) => index);
  const rights = walls(down, xs, ys);
  const bottoms = walls(across, ys, xs);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const cell = row * columns + column;
      if (column + 1 < columns && !rights.has(`${column + 1} ${row}`)) unite(parents, cell, cell + 1);
      if (row + 1 < rows && !bottoms.has(`${row + 1} ${column}`)) unite(parents, cell, cell + columns);
    }
  const rootAt = (row: number, column: number) => rootOf(parents, row * columns + column);
  return {
    xs,
    ys,
    x0: (xs[0] ?? 0) - NEAR,
    x1: (xs.at(-1) ?? 0) + NEAR,
    y0: ys[0] ?? 0,
    y1: ys.at(-1) ?? 0,
    cells: parents.filter((_, index) => rootOf(parents, index) === index).length,
    placesOf: (runs) => placesOf(runs, { xs, ys, rootAt }),
  };
}

/** Rows of a cell, from which each of its lines may be of a row of its own. */
const MIN_TALL = 4;
/** Font sizes between runs that may be in cells of their own. */
const MIN_APART = 0.9;

interface Cells {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly rootAt: (row: number, column: number) => number;
}

/** Rules between cells may be missing: a cell whose text keeps to the rows or columns beside it is not one that is merged. */
function placesOf(runs: readonly Run[], { xs, ys, rootAt }: Cells): Map<Run, Place> {
  const columns = xs.length - 1;
  const indexOf = (edges: readonly number[], at: number) =>
    Math.min(
      Math.max(
        edges.findLastIndex((edge) => edge < at),
        0,
      ),
      edges.length - 2,
    );
  const rowOf = ({ y0, y1 }: Turnable) => indexOf(ys, (y0 + y1) / 2);
  const columnOf = ({ x0, x1 }: Turnable) => indexOf(xs, (x0 + x1) / 2);
  const places = new Map<Run, Place>();
  for (const [root, own] of Map.groupBy(runs, (run) => rootAt(rowOf(run), columnOf(run)))) {
    const [top, left] = [Math.floor(root / columns), root % columns];
    let bottom = top;
    while (bottom + 2 < ys.length && rootAt(bottom + 1, left) === root) bottom++;
    const isMerged = bottom > top || rootAt(top, left + 1) === root;
    const lines = isMerged ? rowsOf(own) : [];
    const isTall = bottom - top + 1 >= MIN_TALL && isRowByRow(lines.map(rowOf), bottom - top + 1);
    const isWide = new Set(own.map(columnOf)).size > 1 && lines.every(({ runs }) => isDivided(runs, xs));
    const x = ((xs[left] ?? 0) + (xs[left + 1] ?? 0)) / 2;
    for (const run of own)
      places.set(run, {
        row: isTall ? rowOf(run) : top,
        x: isWide || columnOf(run) === left ? (run.x0 + run.x1) / 2 : x,
      });
  }
  return places;
}

const isRowByRow = (rows: readonly number[], count: number): boolean =>
  new Set(rows).size === rows.length && rows.length > 0.8 * count;

/** Whether no run crosses an edge, and those on both sides of one are apart. */
const isDivided = (runs: readonly Run[], edges: readonly number[]): boolean =>
  runs.every(({ x0, x1, size }, at) => {
    const next = runs[at + 1]?.x0 ?? Infinity;
    return !edges.some((x) => x > x0 + 1 && (x < x1 - 1 || (x < next && next - x1 < MIN_APART * size)));
  });

/** Where rules are on an edge, by edge and by what is between two of the others. */
function walls(rules: readonly Rule[], edges: readonly number[], others: readonly number[]): Set<string> {
  const found = new Set<string>();
  for (const { at, from, to } of rules) {
    const edge = edges.findLastIndex((one) => one <= at + 0.01);
    for (let other = 0; other + 1 < others.length; other++) {
      const middle = ((others[other] ?? 0) + (others[other + 1] ?? 0)) / 2;
      if (middle > from && middle < to) found.add(`${edge} ${other}`);
    }
  }
  return found;
}
