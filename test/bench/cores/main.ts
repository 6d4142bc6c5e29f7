import { flags } from '../flags.ts';
import { withCleanup } from '../race/temporary.ts';
import { runDefaults, runFeeding, runProcesses, runReach } from './cli.ts';
import { printHttp } from './http.ts';

/** With `--only`, one of the parts: `reach`, `defaults`, `processes`, `feeding`, `http`. */
const PARTS = {
  reach: runReach,
  defaults: runDefaults,
  processes: runProcesses,
  feeding: runFeeding,
  http: printHttp,
};

await withCleanup(async (_t, folder) => {
  for (const [name, run] of Object.entries(PARTS)) if (name.includes(flags.only ?? '')) await run(folder);
});
