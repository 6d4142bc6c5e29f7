/** One way to retrieve, in a plot. Plain data. */
export interface PlotPoint {
  readonly name: string;
  /** From 0 to 1. */
  readonly recall: number;
  /** The interval of the recall, if it is known. */
  readonly interval?: readonly [low: number, high: number] | undefined;
  /** What it takes, from 0 on. */
  readonly cost: number;
  /** Each has a shape of its own, and the class `series-<name>`. */
  readonly series: string;
  /** Written beside the point. */
  readonly label?: string | undefined;
  /** Where the point leads; without it, the point is not a link. */
  readonly href?: string | undefined;
}

const SIZE = { width: 640, height: 340, left: 46, right: 20, top: 14, bottom: 44 };
const STEPS = 5;
/** Around 0, 0. */
const SHAPES = [
  '<circle r="5.5"/>',
  '<rect x="-5" y="-5" width="10" height="10"/>',
  '<path d="M0-7.5 7.5 0 0 7.5-7.5 0Z"/>',
  '<path d="M0-7 7 5.5H-7Z"/>',
];

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/**
 * Draws recall against a cost, as SVG without scripts and styles: the page colours `.series-<name>` by `--hue`.
 *
 * @param axis what the cost is
 * @param title of the plot for those who do not see it
 */
export function recallPlot(points: readonly PlotPoint[], axis: string, title: string): string {
  const { width, height, left, right, top, bottom } = SIZE;
  const lows = points.map(({ recall, interval }) => Math.min(recall, interval?.[0] ?? recall));
  const highs = points.map(({ recall, interval }) => Math.max(recall, interval?.[1] ?? recall));
  const least = Math.max(0, Math.floor(Math.min(0.95, ...lows) * 10) / 10);
  const most = Math.min(1, Math.ceil(Math.max(least + 0.1, ...highs) * 10) / 10);
  const step = niceStep(Math.max(1, ...points.map(({ cost }) => cost)) / STEPS);
  const widest = step * Math.max(1, Math.ceil(Math.max(1, ...points.map(({ cost }) => cost)) / step));
  const x = (cost: number) => round(left + (cost / widest) * (width - left - right));
  const y = (recall: number) =>
    round(height - bottom - ((recall - least) / (most - least)) * (height - top - bottom));
  const series = [...new Set(points.map((one) => one.series))];
  const rows = ticks(least, most, most - least > 0.5 ? 0.2 : 0.1).map(
    (at) => `<line class="grid" x1="${left}" x2="${width - right}" y1="${y(at)}" y2="${y(at)}"/>
<text x="${left - 8}" y="${y(at) + 4}" text-anchor="end">${whole.format(at * 100)}</text>`,
  );
  const columns = ticks(0, widest, step).map(
    (at) => `<text x="${x(at)}" y="${height - bottom + 18}" text-anchor="middle">${whole.format(at)}</text>`,
  );
  const drawn = points.map((point) =>
    drawPoint(point, x(point.cost), y, SHAPES[series.indexOf(point.series) % SHAPES.length] ?? ''),
  );
  return `<svg class="plot" viewBox="0 0 ${width} ${height}" role="group" aria-label="${escaped(title)}">
${rows.join('\n')}
${columns.join('\n')}
<text x="${width - right}" y="${height - 6}" text-anchor="end">${escaped(axis)}</text>
<text x="4" y="${height - 6}">recall, %</text>
${drawn.join('\n')}
</svg>`;
}

function drawPoint(
  { name, recall, interval, series, label, href }: PlotPoint,
  x: number,
  y: (recall: number) => number,
  shape: string,
): string {
  const range = interval === undefined ? '' : `, ${percent(interval[0])} to ${percent(interval[1])}`;
  const said = escaped(`${name}: recall ${percent(recall)}${range}`);
  const line =
    interval === undefined ? '' : `<line x1="${x}" x2="${x}" y1="${y(interval[0])}" y2="${y(interval[1])}"/>`;
  const isRight = x > SIZE.width / 2;
  const words =
    label === undefined
      ? ''
      : `<text x="${x + (isRight ? -11 : 11)}" y="${y(recall) + 4}" text-anchor="${isRight ? 'end' : 'start'}">${escaped(label)}</text>`;
  const mark = `${line}<g transform="translate(${x} ${y(recall)})">${shape}</g>`;
  const linked =
    href === undefined
      ? `<g role="img" aria-label="${said}">${mark}</g>`
      : `<a href="${escaped(href)}" aria-label="${said}">${mark}</a>`;
  return `<g class="point series-${escaped(series)}${label === undefined ? '' : ' labelled'}"><title>${said}</title>${linked}${words}</g>`;
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((times) => times * power >= least) ?? 10);
}

function ticks(from: number, to: number, step: number): number[] {
  const count = Math.floor((to - from) / step + 1e-6);
  return Array.from({ length: count + 1 }, (_, index) => from + index * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `84.1 %` of 0.841. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Text as it is written in HTML and SVG. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
