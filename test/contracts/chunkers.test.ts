import fc from 'fast-check';
import t from 'tap';
import type { Log } from '../../core/contracts.ts';
import { composeCore } from '../../server/compose.ts';
import { configOf } from '../../server/config.ts';
import { createTokenizers } from '../../server/tokenizers.ts';
import { breachesOf } from './chunker-contract.ts';
import { anyOptions } from './options.ts';
import { anyText } from './texts.ts';

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const config = configOf({ plugins: (process.env.CONTRACT_PLUGINS ?? '').split(',').filter(Boolean) });
const core = await composeCore(config, quiet, { get: async (_key, build) => build() });
const openTokenizer = createTokenizers(core.registry, core.host);
const TOKENIZERS = ['character', 'cl100k_base'];
const RUNS = Number(process.env.CONTRACT_RUNS ?? 300);

const chunkers = core.registry.ofKind('chunker').filter(({ missing }) => missing.length === 0);
for (const { manifest } of chunkers) {
  const usesTokenizer = manifest.uses?.includes('tokenizer') === true;
  for (const name of usesTokenizer ? TOKENIZERS : ['character']) {
    t.test(`${manifest.name} keeps its promises with ${name}`, async (t) => {
      const tokenizer = await openTokenizer(name);
      const anyRequest = anyOptions(manifest.options ?? { type: 'object', properties: {} });
      const holds = fc.asyncProperty(anyText, anyRequest, async (text, given) => {
        const options = usesTokenizer ? { ...given, tokenizer: name } : given;
        const breaches = await breachesOf(core.service, manifest, tokenizer, { text, options });
        if (breaches.length > 0) throw new Error(`broken: ${breaches.join('; ')}`);
      });
      await t.resolves(fc.assert(holds, { numRuns: RUNS }));
      t.comment(`${RUNS} generated requests`);
    });
  }
}
