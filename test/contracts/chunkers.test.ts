import fc from 'fast-check';
import t from 'tap';
import { createTokenizers } from '../../server/tokenizers.ts';
import { composeQuietly } from '../support/service.ts';
import { breachesOf } from './chunker-contract.ts';
import { anyOptions } from './options.ts';
import { anyText } from './texts.ts';

const core = await composeQuietly({
  plugins: (process.env.CONTRACT_PLUGINS ?? '').split(',').filter(Boolean),
});
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
