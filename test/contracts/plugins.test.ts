import { BrokenContract, SUITES } from 'chunksmith/testing';
import t from 'tap';
import { KINDS, type Kind } from '../../core/contracts/manifest.ts';
import { whyNotRun } from '../../server/testing/checks/subject.ts';
import { EXEMPTIONS } from './exemptions.ts';
import { modelFolder } from './model-folder.ts';
import { openWorkbench } from './workbench.ts';

/**
 * Enough to find all broken promises of the samples beside this file, some of which show in one of eighty cases only.
 * `CONTRACT_RUNS` may be more.
 */
const RUNS: Readonly<Record<Kind, number>> = {
  chunker: 100,
  refinery: 60,
  reader: 100,
  tokenizer: 60,
  embedding: 20,
  sink: 10,
};

const bench = await openWorkbench({ modelsDir: await modelFolder(t), hfHubCache: '/nowhere' });
/** A server of few plugins may not show what one is exempt from. */
const tooFew = bench.plugins('tokenizer').length < 2 && 'there is one tokenizer only';
for (const plugin of KINDS.flatMap((kind) => bench.plugins(kind))) {
  const { kind } = plugin.manifest;
  const runs = Number(process.env.CONTRACT_RUNS ?? RUNS[kind]);
  const exemptions = EXEMPTIONS[plugin.id] ?? {};
  const skip = whyNotRun(plugin, process.env) ?? false;
  t.test(`${plugin.id} keeps its promises`, { skip }, async (t) => {
    const checked = await SUITES[kind].run(bench, plugin, { runs, exemptions });
    // Such as "0 histories: why".
    const [, skip = false] = /^0 .*?: (.*)/.exec(checked) ?? [];
    t.ok(checked, `checked: ${checked}`, { skip });
  });

  for (const [promise, reason] of Object.entries(exemptions)) {
    t.test(`${plugin.id} needs to be exempt: ${promise}`, { skip: tooFew }, async (t) => {
      const { [promise]: _, ...others } = exemptions;
      const held = SUITES[kind].run(bench, plugin, { exemptions: others });
      const broken = await held.then((): string[] => [], brokenIn);
      t.ok(broken.includes(promise), reason);
    });
  }
}

function brokenIn(error: unknown): string[] {
  if (error instanceof BrokenContract) return error.broken.map(({ promise }) => promise);
  throw error;
}
