import { dirname } from 'node:path';
import { SUITES } from 'chunksmith/testing';
import t, { type Test } from 'tap';
import type { Kind } from '../../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { inWords } from '../../../server/testing/checks/result.ts';
import { checkContract } from '../../../server/testing/checks/steps.ts';
import type { Subject } from '../../../server/testing/checks/subject.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { openHarness } from '../harness.ts';
import { SAMPLES } from '../samples/all.ts';
import { STAND_IN } from '../samples/sinks.ts';

/** Plugins of a folder outside the project: the suites find them, and see which promise one breaks, and where. */

/** Inputs that break each promise which a sample does not keep. */
const SUITE = { runs: 60, seed: 29 };

for (const { kind, title = kind, manifest, good, bad } of SAMPLES) {
  t.test(`${title}: a plugin in a folder of its own is found and keeps its promises`, async (t) => {
    const [subject] = await subjectsOf(t, kind, manifest, [good]);
    if (subject === undefined) return t.fail('it is not found');
    t.same(await failuresOf(subject), []);
  });

  t.test(`${title}: the suite sees a broken promise`, async (t) => {
    const made = bad.map(([broken]) => broken);
    const subjects = await subjectsOf(t, kind, manifest, made);
    for (const [index, [, promise]] of bad.entries()) {
      const subject = subjects[index];
      if (subject === undefined) return t.fail('it is not found');
      const found = await failuresOf(subject);
      t.match(found.join('\n'), promise);
      // The suite itself goes on with exemptions; that those of an author hold, one plugin shows.
      if (index > 0) continue;
      const exemptions = { [promiseIn(found)]: 'tried here' };
      const others = await failuresOf({ ...subject, suite: { ...SUITE, exemptions } });
      t.notOk(others.map((one) => promiseIn([one])).includes(promiseIn(found)), 'exempt');
    }
  });
}

t.test('every promise has a remedy, and a sample or more that breaks one of its kind', async (t) => {
  for (const [kind, { promises }] of Object.entries(SUITES)) {
    const samples = SAMPLES.filter((sample) => sample.kind === kind && sample.bad.length > 0);
    t.ok(samples.length > 0, kind);
    for (const [promise, remedy] of Object.values(promises).flatMap((group) => Object.entries(group)))
      t.match(remedy, /\.$/, promise);
  }
});

async function failuresOf(subject: Subject): Promise<string[]> {
  const results = await checkContract(subject);
  return results.flatMap(({ failures }) => failures.map((failure) => inWords(failure).replaceAll('\n', ' ')));
}

const promiseIn = ([first = '']: readonly string[]): string =>
  /expected: (.*?) (?:found|smallest input|to change):/.exec(first)?.[1] ?? '';

/** Plugins of one folder, one for each factory. */
async function subjectsOf(
  t: Test,
  kind: Kind,
  manifest: object,
  factories: readonly string[],
): Promise<Subject[]> {
  const names = factories.map((_, index) => `sample-${index}`);
  const plugins = factories.map((made, index) => {
    const name = names[index] as string;
    const models = kind === 'tokenizer' || kind === 'embedding' ? { models: [name] } : {};
    const standIn = kind === 'sink' ? { [`${name}/stand-in.js`]: STAND_IN.replaceAll('NAME', name) } : {};
    const own = plugin(
      { kind, name, ...models, ...manifest },
      `export default () => (${made.replaceAll('NAME', name)});\n`,
    );
    return { ...own, ...standIn };
  });
  const folder = await pluginsFolder(t, ...plugins);
  const harness = await openHarness({ pluginsDir: [folder], plugins: [...names, 'character'] });
  const entryOf = (name: string) => harness.plugins(kind).filter(({ manifest }) => manifest.name === name);
  const subjectOf = (entry: PluginEntry): Subject => {
    return { entry, others: [], folder: dirname(entry.file), harness, suite: SUITE, whyNotRun: undefined };
  };
  return names.flatMap(entryOf).map(subjectOf);
}
