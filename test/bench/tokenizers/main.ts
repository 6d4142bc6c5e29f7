import { printTitle } from '../race/report.ts';
import { runCold } from './cold.ts';
import { ENCODINGS } from './counters.ts';
import { runLong } from './long.ts';
import { writeTokenizerFile } from './tokenizer-file.ts';
import { runWarm } from './warm.ts';

console.warn = () => {};
for (const encoding of ENCODINGS) await writeTokenizerFile(encoding);
printTitle('Counting tokens, warm, in one process');
await runWarm();
printTitle('Counting tokens in a fresh process, first pass over a fresh text of 10 MB');
await runCold();
printTitle('Texts without a place to cut, ours, cl100k_base, each in a fresh process');
await runLong();
