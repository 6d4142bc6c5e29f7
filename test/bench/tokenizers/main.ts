import { readTexts } from '../data/texts.ts';
import { race } from '../race/race.ts';
import { printSpeeds, printTable, printTitle } from '../race/report.ts';
import { runCold } from './cold.ts';
import { COUNTERS, type Count, ENCODINGS } from './counters.ts';

/** A peer that has taken this many milliseconds sits out the rounds that are left. */
const BUDGET = 3000;

interface Counter {
  readonly name: string;
  readonly count: Count;
}

console.warn = () => {};
printTitle('Counting tokens, warm, in one process');
for (const encoding of ENCODINGS) {
  const counters: Counter[] = [];
  for (const [name, create] of Object.entries(COUNTERS)) {
    const count = await create(encoding);
    if (count !== undefined) counters.push({ name, count });
  }
  for (const { name, text, bytes } of readTexts()) {
    const candidates = counters.map(({ name, count }) => ({
      name,
      isOurs: name === 'chunksmith',
      run: () => count(text),
    }));
    printSpeeds(`${encoding}, ${name}`, await race(candidates, { budget: BUDGET }), bytes);
    printCounts(counters, text);
  }
}
printTitle('Counting tokens in a fresh process, first pass over a fresh text');
await runCold();

/** Prints how many tokens counters find, and in how many paragraphs another number than ours. */
function printCounts(counters: readonly Counter[], text: string): void {
  const paragraphs = text.split(/(?<=\n\n)/);
  const [ours] = counters;
  const rows = counters.map(({ name, count }) => {
    const others = paragraphs.filter((one) => count(one) !== ours?.count(one));
    return [name, String(count(text)), String(others.length)];
  });
  printTable('', ['', 'tokens', `differ of ${paragraphs.length} paragraphs`], rows);
}
