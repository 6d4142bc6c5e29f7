import { BrokenContract, SUITES } from 'chunksmith/testing';
import t from 'tap';
import { KINDS } from '../../core/contracts/manifest.ts';
import { whyNotRun } from '../../server/testing/checks/subject.ts';
import { openWorkbench } from '../support/workbench.ts';
import { EXEMPTIONS } from './exemptions.ts';
import { modelFolder } from './model-folder.ts';

const bench = await openWorkbench({
  modelsDir: await modelFolder(t),
  hfHubCache: '/nowhere',
});
const RUNS = process.env.CONTRACT_RUNS === undefined ? {} : { runs: Number(process.env.CONTRACT_RUNS) };
/** A server of few plugins may not show what one is exempt from. */
const TOO_FEW = bench.plugins('tokenizer').length < 2 && 'there is one tokenizer only';

for (const kind of KINDS) {
  for (const plugin of bench.plugins(kind)) {
    const exemptions = EXEMPTIONS[plugin.id] ?? {};
    t.test(
      `${plugin.id} keeps its promises`,
      { skip: whyNotRun(plugin, process.env) ?? false },
      async (t) => {
        const checked = await SUITES[kind].run(bench, plugin, { ...RUNS, exemptions });
        t.ok(checked, `checked: ${checked}`);
      },
    );

    for (const [promise, reason] of Object.entries(exemptions)) {
      t.test(`${plugin.id} needs to be exempt: ${promise}`, { skip: TOO_FEW }, async (t) => {
        const { [promise]: _, ...others } = exemptions;
        const held = SUITES[kind].run(bench, plugin, { exemptions: others });
        const broken = await held.then((): string[] => [], brokenIn);
        t.ok(broken.includes(promise), reason);
      });
    }
  }
}

function brokenIn(error: unknown): string[] {
  if (error instanceof BrokenContract) return error.broken.map(({ promise }) => promise);
  throw error;
}
