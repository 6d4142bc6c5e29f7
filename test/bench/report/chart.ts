import type { Speed } from '../race/report.ts';
import type { Figures } from './figures.ts';
import { short } from './page.ts';

const SOURCE = 'structure';
const TITLE = 'one thread: READMEs, chunk_size 256, cl100k_base';
const MAX_BARS = 6;

const [WIDTH, NAMES, BAR, GAP, TOP] = [860, 390, 22, 12, 64];
const PLOT = WIDTH - NAMES - 110;

const COLOURS = {
  light: { text: '#1f2328', muted: '#59636e', ours: '#0969da', peer: '#afb8c1', range: '#1f2328' },
  dark: { text: '#f0f6fc', muted: '#9198a1', ours: '#4493f8', peer: '#484f58', range: '#f0f6fc' },
} as const;

export type Scheme = keyof typeof COLOURS;
export const SCHEMES = Object.keys(COLOURS) as Scheme[];

type Bar = Speed & Required<Pick<Speed, 'speed'>>;

/** The chart of the README: how fast Markdown is chunked by tokens. */
export function chartOf(all: ReadonlyMap<string, Figures>, scheme: Scheme): string {
  const figures = all.get(SOURCE);
  const speeds = figures?.tables.find(({ title }) => title === TITLE)?.speeds ?? [];
  const drawn = speeds.filter(
    (one): one is Bar => one.speed !== undefined && !one.name.includes(', markdown'),
  );
  const sorted = drawn.sort((a, b) => b.speed.median - a.speed.median).slice(0, MAX_BARS);
  const bars = sorted.map((bar) => ({
    ...bar,
    name: bar.name.replace(/^chunksmith/, `chunksmith ${figures?.version}`),
  }));
  const most = Math.max(...bars.map(({ speed }) => speed.max));
  const { text, muted } = COLOURS[scheme];
  const height = TOP + bars.length * (BAR + GAP) + 34;
  const under = `${figures?.date.slice(0, 10)}, ${figures?.machine.split(',')[0]}; medians with ranges. ${figures?.command}`;
  const summary = bars.map(({ name, speed }) => `${name}: ${short(speed.median)} MB/s`).join('; ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(`MB of Markdown per second. ${summary}`)}" font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="14">`,
    `<text x="0" y="20" fill="${text}" font-size="16" font-weight="600">Chunking READMEs by 256 tokens of cl100k_base, MB per second</text>`,
    `<text x="0" y="42" fill="${muted}">one thread, from the bytes of a request to those of the answer; peers count with gpt-tokenizer; more is better</text>`,
    ...bars.map((bar, at) => barOf(bar, TOP + at * (BAR + GAP), PLOT / most, scheme)),
    `<text x="0" y="${height - 8}" fill="${muted}" font-size="12">${escaped(under)}</text>`,
    '</svg>\n',
  ].join('\n');
}

function barOf({ name, speed }: Bar, top: number, scale: number, scheme: Scheme): string {
  const { text, muted, ours, peer, range } = COLOURS[scheme];
  const [middle, isOurs] = [top + BAR / 2, name.startsWith('chunksmith')];
  const [low, end, high] = [speed.min, speed.median, speed.max].map((value) => NAMES + value * scale);
  const label = `fill="${isOurs ? text : muted}"${isOurs ? ' font-weight="600"' : ''}`;
  const at = (value: number | undefined) => (value ?? 0).toFixed(1);
  return [
    `<text x="${NAMES - 10}" y="${middle + 5}" text-anchor="end" ${label}>${escaped(name)}</text>`,
    `<rect x="${NAMES}" y="${top}" width="${at((end ?? 0) - NAMES)}" height="${BAR}" rx="3" fill="${isOurs ? ours : peer}"/>`,
    `<path d="M${at(low)} ${middle}H${at(high)}M${at(low)} ${middle - 4}v8M${at(high)} ${middle - 4}v8" stroke="${range}" fill="none"/>`,
    `<text x="${at(Math.max(end ?? 0, high ?? 0) + 8)}" y="${middle + 5}" ${label}>${short(speed.median)}</text>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
