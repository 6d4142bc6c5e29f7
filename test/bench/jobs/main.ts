import { printTitle } from '../race/report.ts';
import { runInteractive } from './interactive.ts';
import { runMachines } from './machines.ts';
import { runPlan } from './plan.ts';
import { runShare } from './share.ts';

/** Entry of `npm run bench -- jobs`. */

const PARTS = [
  ['Plans of many shards', runPlan],
  ['The share of the queue', runShare],
  ['Workers on one database', runMachines],
  ['Requests while a job runs', runInteractive],
] as const;

const only = process.env.BENCH_PART;
for (const [title, run] of PARTS) {
  if (only !== undefined && !title.toLowerCase().includes(only)) continue;
  printTitle(title);
  await run();
}
