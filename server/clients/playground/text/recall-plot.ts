export interface PlotPoint {
  readonly name: string;
  /** From 0 to 1. */
  readonly recall: number;
  readonly interval?: readonly [low: number, high: number] | undefined;
  readonly cost: number;
  /** The points of a series have the same shape and the class `series-<name>`. */
  readonly series: string;
  readonly label?: string | undefined;
  /** The target of a link; if undefined, the point is not a link. */
  readonly href?: string | undefined;
}

const SIZE = { width: 440, height: 300, left: 40, right: 16, top: 20, bottom: 46 };
const STEPS = 4;
const APART = 9;
const SHAPES = [
  '<circle r="4.5"/>',
  '<rect x="-4" y="-4" width="8" height="8"/>',
  '<path d="M0-6 6 0 0 6-6 0Z"/>',
  '<path d="M0-6 6 5H-6Z"/>',
];

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/**
 * The CSS of plots. A page must define the colours `--text`, `--soft`, `--line` and `--card`, and the colour `--hue`
 * for each class `.series-<name>`.
 */
export const PLOT_STYLE = `.plot{display:block;width:100%;height:auto;overflow:visible}.plot text{fill:var(--soft);font-size:13px}.plot .grid{stroke:var(--line)}
.point{fill:var(--hue);stroke:var(--hue)}.point line{opacity:.3;stroke-width:1.5}.point [transform]{stroke:none}.labelled line,.point:is(:hover,:focus-within) line{opacity:1;stroke-width:2}.labelled [transform]{stroke:var(--text);stroke-width:2.5;paint-order:stroke}.plot .labelled text{fill:var(--text);font-weight:600;stroke:var(--card);stroke-width:4;paint-order:stroke}`;

/**
 * Draws recall against a cost, as SVG. The page must add `PLOT_STYLE`.
 *
 * @param axis name of the cost
 * @param title accessible name of the plot
 */
export function recallPlot(points: readonly PlotPoint[], axis: string, title: string): string {
  const { width, height, left, right, top, bottom } = SIZE;
  const ranges = points.map(({ recall, interval = [recall, recall] }) => interval);
  const recalls = scaleOf(ranges.flat(), 0.1, [height - bottom, top]);
  const costs = scaleOf(
    points.map(({ cost }) => cost),
    1,
    [left + APART, width - right - APART],
  );
  const series = [...new Set(points.map((one) => one.series))].sort();
  const drawn = points.toSorted(labelledLast).map((point) => {
    const at = series.indexOf(point.series);
    const x = round(costs.at(point.cost) + (at - (series.length - 1) / 2) * APART);
    const yOf = (recall: number) => round(recalls.at(recall));
    return drawPoint(point, axis, x, yOf, SHAPES[at % SHAPES.length] ?? '');
  });
  const rows = recalls.ticks.map((tick) => {
    const y = round(recalls.at(tick));
    const line = `<line class="grid" x1="${left}" x2="${width - right}" y1="${y}" y2="${y}"/>`;
    return `${line}<text x="${left - 6}" y="${y + 4}" text-anchor="end">${whole.format(tick * 100)}</text>`;
  });
  const columns = costs.ticks.map((tick) => {
    const x = round(costs.at(tick));
    const y = height - bottom + 18;
    return `<text x="${x}" y="${y}" text-anchor="middle">${whole.format(tick)}</text>`;
  });
  return `<svg class="plot" viewBox="0 0 ${width} ${height}" role="group" aria-label="${escaped(title)}">
<text x="4" y="${height - 6}">recall, %</text>
<text x="${width - right}" y="${height - 6}" text-anchor="end">${escaped(axis)}</text>
${[...rows, ...columns, ...drawn].join('\n')}
</svg>`;
}

function labelledLast(a: PlotPoint, b: PlotPoint): number {
  return Number(a.label !== undefined) - Number(b.label !== undefined);
}

/**
 * Creates an axis. `ticks` are round numbers that enclose the values; `at` maps a value to a coordinate.
 *
 * @param least the smallest distance of two ticks
 */
function scaleOf(values: readonly number[], least: number, [from, to]: readonly [number, number]) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const step = niceStep(Math.max(least, (high - low) / STEPS));
  const first = Math.floor(low / step + 1e-9);
  const count = Math.max(1, Math.ceil(high / step - 1e-9) - first);
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => (first + index) * step),
    at: (value: number) => from + ((value / step - first) / count) * (to - from),
  };
}

function drawPoint(
  { name, recall, interval, cost, series, label, href }: PlotPoint,
  axis: string,
  x: number,
  yOf: (recall: number) => number,
  shape: string,
): string {
  const range = interval === undefined ? '' : `, ${interval.map(percent).join(' to ')}`;
  const said = escaped(`${name}: recall ${percent(recall)}${range}, ${whole.format(cost)} ${axis}`);
  const [low, high] = (interval ?? [recall, recall]).map(yOf);
  const y = yOf(recall);
  const mark = `<line x1="${x}" x2="${x}" y1="${low}" y2="${high}"/><g transform="translate(${x} ${y})">${shape}</g>`;
  const linked =
    href === undefined
      ? `<g role="img" aria-label="${said}">${mark}</g>`
      : `<a href="${escaped(href)}" aria-label="${said}">${mark}</a>`;
  const above = Math.min(high ?? y, y - 6) - 4;
  const words = `<text x="${x}" y="${above}" text-anchor="middle">${escaped(label ?? '')}</text>`;
  const [kind, named] = label === undefined ? ['', ''] : [' labelled', words];
  return `<g class="point series-${escaped(series)}${kind}"><title>${said}</title>${linked}${named}</g>`;
}

/** Rounds up to the next 1, 2 or 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((times) => times * power >= least) ?? 10);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
