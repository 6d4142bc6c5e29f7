import { clearLine, cursorTo } from 'node:readline';
import type { WriteStream } from 'node:tty';
import type { Tally } from '../chunk-documents.ts';
import type { SkippedReasons, Skips } from '../skips.ts';

export const PROGRESS = ['auto', 'bar', 'plain', 'json', 'none'] as const;
export type ProgressKind = (typeof PROGRESS)[number];

export interface Counts extends Tally {
  readonly skips: Skips;
}

export interface Summary extends Tally {
  readonly skipped: number;
  readonly skipped_reasons: SkippedReasons;
  readonly seconds: number;
  readonly mb_per_second: number;
}

export interface Progress {
  update?(): void;
  stop?(): void;
}

const PAUSE = 5000;
/** The remaining time is not estimated before this many seconds and this share of the bytes. */
const FIRST_ESTIMATE = { seconds: 5, share: 0.02 };

const MB = 1e6;

/** @param counts updated during the work @param total bytes of the source; undefined if unknown */
export function showProgress(kind: ProgressKind, counts: Counts, total: number | undefined): Progress {
  const begin = performance.now();
  const timeLeft = estimator(total);
  const shown = kind === 'auto' ? (process.stderr.isTTY ? 'bar' : 'plain') : kind;
  const isUnseen = shown === 'bar' && !process.stderr.isTTY;
  if (shown === 'none' || isUnseen) return {};
  const look = () => {
    const summary = summaryOf(counts, begin);
    const left = timeLeft(summary);
    return { summary, left: left === undefined ? '' : `, ${left}` };
  };
  if (shown === 'bar') return showBar(counts, total, look);
  let next = begin + PAUSE;
  return {
    update() {
      const { summary, left } = look();
      const now = performance.now();
      if (now < next) return;
      next = now + PAUSE;
      const json = { ...summary, ...(total !== undefined && { bytes_total: total }) };
      process.stderr.write(shown === 'json' ? `${JSON.stringify(json)}\n` : `${describe(summary)}${left}\n`);
    },
  };
}

function showBar(
  counts: Counts,
  total: number | undefined,
  look: () => { readonly summary: Summary; readonly left: string },
): Progress {
  const line = () => {
    const { summary, left } = look();
    const { documents, chunks, bytes, mb_per_second: rate } = summary;
    const mb = (bytes / MB).toFixed(1);
    const numbers = `${documents} documents, ${mb} MB, ${rate} MB/s, ${chunks} chunks`;
    if (total === undefined) return numbers;
    return `${barOf(total === 0 ? 1 : Math.min(counts.bytes / total, 1))}, ${numbers}${left}`;
  };
  return { stop: keepDrawn(process.stderr, line) };
}

export function summaryOf(counts: Counts, begin: number): Summary {
  const seconds = (performance.now() - begin) / 1000;
  const { skips, ...numbers } = counts;
  return {
    ...numbers,
    skipped: skips.count,
    skipped_reasons: skips.reasons,
    seconds: rounded(seconds),
    mb_per_second: rounded(counts.bytes / MB / seconds),
  };
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}

export function describe(summary: Summary): string {
  const { failed, skipped, chunks_oversize, embedding_empty, embedding_fallback, embedding_cut } = summary;
  const parts = [
    counted(summary.documents, 'document'),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    counted(summary.chunks, 'chunk'),
    ...(chunks_oversize > 0 ? [`${chunks_oversize} over chunk_size`] : []),
    ...(embedding_empty > 0 ? [`${counted(embedding_empty, 'text')} with no word that the model knows`] : []),
    ...(embedding_fallback > 0 ? [`${counted(embedding_fallback, 'text')} with lexical vectors`] : []),
    ...(embedding_cut > 0 ? [`${counted(embedding_cut, 'text')} longer than the model reads at once`] : []),
    `${(summary.bytes / MB).toFixed(1)} MB in ${summary.seconds} s (${summary.mb_per_second} MB/s)`,
  ];
  return parts.join(', ');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * Estimates the remaining time, measured from the first documents on, because threads start before them.
 *
 * @returns undefined as long as an estimate would be a guess
 */
export function estimator(total: number | undefined) {
  let first: Pick<Summary, 'bytes' | 'seconds'> | undefined;
  return ({ bytes, seconds }: Pick<Summary, 'bytes' | 'seconds'>): string | undefined => {
    if (total === undefined || bytes === 0) return undefined;
    first ??= { bytes, seconds };
    const done = { bytes: bytes - first.bytes, seconds: seconds - first.seconds };
    if (done.seconds < FIRST_ESTIMATE.seconds || done.bytes < total * FIRST_ESTIMATE.share) return undefined;
    const left = Math.max(0, Math.round(((total - bytes) * done.seconds) / done.bytes));
    return `${left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`} left`;
  };
}

const FRAME = 100;
const WIDTH = 40;

function barOf(share: number): string {
  const done = Math.round(share * WIDTH);
  return `${'█'.repeat(done)}${'░'.repeat(WIDTH - done)} ${Math.floor(share * 100)}%`;
}

/**
 * Keeps one line of a terminal up to date, cut at the width of the terminal.
 *
 * @returns a function that stops the updates and clears the line
 */
function keepDrawn(terminal: WriteStream, line: () => string): () => void {
  const clear = () => {
    cursorTo(terminal, 0);
    clearLine(terminal, 0);
  };
  const draw = () => {
    const text = line().slice(0, terminal.columns || undefined);
    cursorTo(terminal, 0);
    terminal.write(text);
    clearLine(terminal, 1);
  };
  draw();
  const timer = setInterval(draw, FRAME).unref();
  return () => {
    clearInterval(timer);
    clear();
  };
}
