import { readTexts } from '../data/texts.ts';
import { race } from '../race/race.ts';
import { printSpeeds, printTitle } from '../race/report.ts';
import { runCold } from './cold.ts';
import { COUNTERS, ENCODINGS } from './counters.ts';

/** A peer that has taken this many milliseconds sits out the rounds that are left. */
const BUDGET = 3000;

console.warn = () => {};
printTitle('Counting tokens, warm, in one process');
for (const encoding of ENCODINGS) {
  const opening = Object.entries(COUNTERS).map(async ([name, create]) => ({
    name,
    isOurs: name === 'chunksmith',
    count: await create(encoding),
  }));
  const counters = await Promise.all(opening);
  for (const { name, text, bytes } of readTexts()) {
    const candidates = counters.map((one) => ({ ...one, run: () => one.count(text) }));
    printSpeeds(`${encoding}, ${name}`, await race(candidates, { budget: BUDGET }), bytes);
    console.log(`  tokens: ${counters.map(({ name, count }) => `${count(text)} ${name}`).join(', ')}\n`);
  }
}
printTitle('Counting tokens in a fresh process, first pass over a fresh text of 10 MB');
await runCold();
