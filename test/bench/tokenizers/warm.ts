import { readTexts } from '../data/texts.ts';
import { race } from '../race/race.ts';
import { printSpeeds } from '../race/report.ts';
import { COUNTERS, type Count, ENCODINGS, type Encoding } from './counters.ts';

/** A peer that has taken this many milliseconds sits out the rounds that are left. */
const BUDGET = 3000;

/** Compares all counters on whole texts, encoding by encoding. */
export async function runWarm(): Promise<void> {
  for (const encoding of ENCODINGS) {
    const counters = await open(encoding);
    for (const { name, text, bytes } of readTexts()) {
      const candidates = counters.map(({ counter, count }) => ({
        name: counter,
        isOurs: counter === 'chunksmith',
        run: () => count(text),
      }));
      printSpeeds(`${encoding}, ${name}`, await race(candidates, { budget: BUDGET }), bytes);
      console.log(`${describeCounts(counters, text)}\n`);
    }
  }
}

interface Opened {
  readonly counter: string;
  readonly count: Count;
}

function open(encoding: Encoding): Promise<Opened[]> {
  return Promise.all(
    Object.entries(COUNTERS).map(async ([counter, create]) => ({ counter, count: await create(encoding) })),
  );
}

function describeCounts(counters: readonly Opened[], text: string): string {
  const counts = counters.map(({ counter, count }) => ({ counter, tokens: count(text) }));
  const ours = counts[0]?.tokens;
  const others = counts.filter(({ tokens }) => tokens !== ours);
  if (others.length === 0) return `  all count ${ours} tokens`;
  return `  ours counts ${ours}; ${others.map(({ counter, tokens }) => `${counter} ${tokens}`).join(', ')}`;
}
