import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable, printTitle } from '../bench/race/report.ts';
import { withCleanup } from '../bench/race/temporary.ts';
import { crash } from './crash.ts';
import { faults } from './faults.ts';
import { hostile } from './hostile.ts';
import { kills } from './kills.ts';
import { load } from './load.ts';
import type { Mode, Report } from './mode.ts';
import { mutated } from './mutated.ts';
import { overload } from './overload.ts';
import { stream } from './stream.ts';

/**
 * Entry of `npm run test:soak`: what only shows after minutes, too long for `npm test`. The arguments are the
 * modes, by default all of them: `npm run test:soak -- load --seconds 60 --seed 7`.
 */

const MODES: Readonly<Record<string, Mode>> = {
  load,
  overload,
  stream,
  crash,
  faults,
  kills,
  hostile,
  mutated,
  ...(await modesOfPlugins()),
};

/** What plugins bring along among their tests, by the names of the files. */
async function modesOfPlugins(): Promise<Record<string, Mode>> {
  const files = globSync(join(import.meta.dirname, '../plugins/*/*/soak/*.ts'));
  const modes = files.map(async (file) => [basename(file, '.ts'), (await import(file)).default] as const);
  return Object.fromEntries(await Promise.all(modes));
}

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: text, count: text, seed: text, only: text },
});

for (const name of positionals.length > 0 ? positionals : Object.keys(MODES)) {
  const mode = MODES[name];
  if (mode === undefined)
    throw new Error(`There is no mode ${name}; available: ${Object.keys(MODES).join()}.`);
  const { seconds = mode.defaults.seconds, count = mode.defaults.count, seed = 1 } = values;
  const { only = '' } = values;
  const options = { seconds: Number(seconds), count: Number(count), seed: Number(seed), only };
  printTitle(`${mode.title} (seconds ${options.seconds}, count ${options.count}, seed ${options.seed})`);
  print(await withCleanup((t) => mode.run(t, options)));
}

function print({ figures, checks }: Report): void {
  printTable('', ['figure', 'found'], figures);
  const isOk = checks.every(({ isKept }) => isKept);
  const rows = checks.map(({ what, found, isKept }) => [what, found, isKept ? 'ok' : 'not ok']);
  printTable('', ['promise', 'found', ''], rows);
  console.log(`\n${isOk ? 'ok' : 'not ok'}`);
  if (!isOk) process.exitCode = 1;
}
