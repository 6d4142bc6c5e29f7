import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { LANGUAGES, type Language } from '../../../../../plugins/chunkers/code/languages.ts';
import manifest from '../../../../../plugins/chunkers/code/manifest.ts';
import { createParsers } from '../../../../../plugins/chunkers/code/parsers.ts';
import { setSwitchesFor } from '../../../../../server/cli/v8-switches.ts';

/**
 * A process that parses a text per language as on a machine of so much memory, and prints the most bytes
 * that it took: `parse-samples.ts <bytes> <texts by language as JSON>`.
 */
const [memoryBytes, texts] = process.argv.slice(2) as [string, string];
const TIMES = 20;
/** Milliseconds that V8 gets to begin with what it would optimise beside the work. */
const PAUSE = 2000;

setSwitchesFor(
  [{ id: 'chunker/code', manifest, file: '', origin: 'builtin', missing: [] }],
  Number(memoryBytes),
);
const parsers = await createParsers();
const limits = { budget: 60_000, signal: new AbortController().signal };
for (const [name, text] of Object.entries(JSON.parse(texts) as Record<string, string>)) {
  const language = LANGUAGES.find((one) => one.name === name) as Language;
  for (let time = 0; time < TIMES; time++) await parsers.parse(language, text, limits, () => {});
}
await wait(PAUSE);
const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
console.log(Number(peak) * 1024);
