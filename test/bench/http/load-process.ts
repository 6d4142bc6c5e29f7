import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { LoadResult } from './load.ts';

/** Entry of a process: load-process.ts <url> <file of the body> <connections> <seconds>. */
const [url = '', file = '', connections, seconds] = process.argv.slice(2);
const result = await autocannon({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: readFileSync(file),
  connections: Number(connections),
  duration: Number(seconds),
  timeout: 30,
});
const loadResult: LoadResult = {
  answers: result['2xx'],
  failures: result.non2xx + result.errors,
  seconds: result.duration,
  p50: result.latency.p50,
};
console.log(JSON.stringify(loadResult));
