import t from 'tap';
import { KINDS } from '../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { EXEMPTIONS } from './exemptions.ts';
import { modelFolder } from './model-folder.ts';
import { reasonOf } from './promises.ts';
import { SUITES } from './suites.ts';
import { openWorkbench } from './workbench.ts';

const listIn = (variable: string) => (process.env[variable] ?? '').split(',').filter(Boolean);

const bench = await openWorkbench({
  plugins: listIn('CONTRACT_PLUGINS'),
  pluginsDir: listIn('CONTRACT_PLUGINS_DIR'),
  modelsDir: await modelFolder(t),
  hfHubCache: '/nowhere',
});
const RUNS = process.env.CONTRACT_RUNS === undefined ? {} : { runs: Number(process.env.CONTRACT_RUNS) };
/** A server of few plugins may not show what one is exempt from. */
const TOO_FEW = bench.plugins('tokenizer').length < 2 && 'there is one tokenizer only';

for (const kind of KINDS) {
  for (const plugin of bench.plugins(kind)) {
    const exemptions = EXEMPTIONS[plugin.id] ?? {};
    t.test(`${plugin.id} keeps its promises`, { skip: whyNotHere(plugin) }, async (t) => {
      const checked = await SUITES[kind](bench, plugin, { ...RUNS, exemptions });
      t.ok(checked, `checked: ${checked}`);
    });

    for (const [promise, reason] of Object.entries(exemptions)) {
      t.test(`${plugin.id} needs to be exempt: ${promise}`, { skip: TOO_FEW }, async (t) => {
        const { [promise]: _, ...others } = exemptions;
        const broken = await SUITES[kind](bench, plugin, { exemptions: others }).then(() => 'none', reasonOf);
        t.ok(broken.includes(promise), reason);
      });
    }
  }
}

function whyNotHere({ manifest, missing }: PluginEntry): string | false {
  const keys = manifest.needs?.env ?? [];
  // A sink is given the variables of a stand-in.
  const unset = manifest.kind === 'sink' ? keys.filter((key) => (process.env[key] ?? '') === '') : [];
  if (missing.length > unset.length) return missing.join('; ');
  if (manifest.kind === 'sink') return false;
  return keys.length > 0 && `with ${keys.join()} it calls a server on the network`;
}
