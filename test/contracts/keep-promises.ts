import { BrokenContract, type Harness, SUITES } from 'chunksmith/testing';
import type { Test } from 'tap';
import { KINDS, type Kind } from '../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { whyNotRun } from '../../server/testing/checks/subject.ts';
import { EXEMPTIONS } from './exemptions.ts';
import { openHarness } from './harness.ts';
import { modelFolder } from './model-folder.ts';

/** How many generated cases a plugin of a kind is tried with. */
export type Runs = Readonly<Record<Kind, number>>;

/** Tests that every plugin of this checkout keeps the promises of its kind. */
export async function testPromises(t: Test, runsOf: Runs): Promise<void> {
  const harness = await openHarness({ modelsDir: await modelFolder(t), hfHubCache: '/nowhere' });
  for (const kind of KINDS)
    for (const plugin of harness.plugins(kind)) testPlugin(t, harness, plugin, runsOf[kind]);
}

function testPlugin(t: Test, harness: Harness, plugin: PluginEntry, runs: number): void {
  const { kind } = plugin.manifest;
  const exemptions = EXEMPTIONS[plugin.id] ?? {};
  const skip = whyNotRun(plugin, process.env) ?? false;
  t.test(`${plugin.id} keeps its promises`, { skip }, async (t) => {
    const checked = await SUITES[kind].run(harness, plugin, { runs, exemptions });
    // Such as "0 histories: why".
    const [, skip = false] = /^0 .*?: (.*)/.exec(checked) ?? [];
    t.ok(checked, `checked: ${checked}`, { skip });
  });

  // A server of few plugins may not show what one is exempt from.
  const tooFew = harness.plugins('tokenizer').length < 2 && 'there is one tokenizer only';
  for (const [promise, reason] of Object.entries(exemptions)) {
    t.test(`${plugin.id} needs to be exempt: ${promise}`, { skip: tooFew }, async (t) => {
      const { [promise]: _, ...others } = exemptions;
      const held = SUITES[kind].run(harness, plugin, { exemptions: others });
      const broken = await held.then((): string[] => [], brokenIn);
      t.ok(broken.includes(promise), reason);
    });
  }
}

function brokenIn(error: unknown): string[] {
  if (error instanceof BrokenContract) return error.broken.map(({ promise }) => promise);
  throw error;
}
