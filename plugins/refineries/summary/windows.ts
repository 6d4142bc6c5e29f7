import { hash } from 'node:crypto';
import type { Chunk, RefineContext } from '../../../core/kit.ts';

export interface Window {
  readonly text: string;
  readonly hash: string;
}

type Tools = Pick<RefineContext<'tokenizer'>, 'tokenizer' | 'join' | 'signal'>;

/**
 * Divides a document into windows of at most `most` tokens. A document that fits is one window. Otherwise
 * windows overlap by half, and a chunk gets the window whose middle is nearest, so that neighbours share
 * windows. A chunk longer than half a window has a window of its own.
 *
 * @returns a function that gives the window of a chunk by the chunk's index
 */
export function windowsOf(chunks: readonly Chunk[], most: number, tools: Tools): (index: number) => Window {
  const whole = textOf(chunks, tools);
  const ends = tools.tokenizer.tokenize(whole).ends();
  if (ends.length <= most) {
    const window = windowOf(whole);
    return () => window;
  }
  const sizes = chunks.map(({ text }) => {
    tools.signal.throwIfAborted();
    return tools.tokenizer.tokenize(text).count(0, text.length);
  });
  return slidingWindows(sizes, most, (start, end) =>
    windowOf(firstTokens(textOf(chunks.slice(start, end), tools), most, tools)),
  );
}

function slidingWindows(
  sizes: readonly number[],
  most: number,
  make: (start: number, end: number) => Window,
): (index: number) => Window {
  const starts = runningTotal(sizes);
  const step = most / 2;
  const last = Math.max(Math.ceil(((starts.at(-1) ?? 0) - most) / step), 0);
  const windows = new Map<number, Window>();
  return (index) => {
    const size = sizes[index] ?? 0;
    if (size > step) return make(index, index + 1);
    const middle = (starts[index] ?? 0) + size / 2;
    const slot = Math.min(Math.max(Math.floor(middle / step - 0.5), 0), last);
    const known = windows.get(slot);
    if (known !== undefined) return known;
    const from = slot * step;
    const to = from + most;
    let start = index;
    let end = index + 1;
    while (start > 0 && (starts[start - 1] ?? 0) >= from) start--;
    while (end < sizes.length && (starts[end + 1] ?? 0) <= to) end++;
    const window = make(start, end);
    windows.set(slot, window);
    return window;
  };
}

function runningTotal(sizes: readonly number[]): number[] {
  const starts = [0];
  let sum = 0;
  for (const size of sizes) {
    sum += size;
    starts.push(sum);
  }
  return starts;
}

function textOf(chunks: readonly Chunk[], { join }: Tools): string {
  return chunks.length === 0 ? '' : join(chunks).text;
}

/** Truncates a window: its token count may differ from the sum of the counts of its chunks. */
function firstTokens(text: string, most: number, { tokenizer }: Tools): string {
  const ends = tokenizer.tokenize(text).ends();
  return ends.length <= most ? text : text.slice(0, ends[most - 1]);
}

function windowOf(text: string): Window {
  return { text, hash: hash('sha256', text, 'hex') };
}
