import type { Turnable } from './page.ts';
import type { Rule, Rules } from './rules.ts';

/** What rules enclose: the edges of its columns and rows, its cells, and where a point is in it. */
export interface Grid extends Turnable {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** How many cells it has; merged ones are one. */
  readonly cells: number;
  readonly rowOf: (y: number, x: number) => number;
  /** A point in the column of the cell, which may be merged of several; undefined without columns. */
  readonly columnOf: (x: number, row: number) => number | undefined;
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
  for (const [at, { at: y, from, to }] of across.entries())
    for (const [index, rule] of down.entries())
      if (rule.at >= from - NEAR && rule.at <= to + NEAR && y >= rule.from - NEAR && y <= rule.to + NEAR)
        unite(parents, at, across.length + index);
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
  const indexOf = (edges: readonly number[], at: number) =>
    Math.max(
      edges.findLastIndex((edge) => edge < at),
      0,
    );
  const cellOf = (x: number, row: number) =>
    rootOf(parents, Math.min(row, rows - 1) * columns + Math.min(indexOf(xs, x), columns - 1));
  return {
    xs,
    ys,
    x0: (xs[0] ?? 0) - NEAR,
    x1: (xs.at(-1) ?? 0) + NEAR,
    y0: ys[0] ?? 0,
    y1: ys.at(-1) ?? 0,
    cells: parents.filter((_, index) => rootOf(parents, index) === index).length,
    rowOf: (y, x) => (down.length === 0 ? indexOf(ys, y) : Math.floor(cellOf(x, indexOf(ys, y)) / columns)),
    columnOf: (x, row) => {
      const first = cellOf(x, row) % columns;
      return first === Math.min(indexOf(xs, x), columns - 1)
        ? undefined
        : ((xs[first] ?? 0) + (xs[first + 1] ?? 0)) / 2;
    },
  };
}

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
