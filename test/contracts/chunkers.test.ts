import fc from 'fast-check';
import t from 'tap';
import type { Manifest, Tokenizer } from '../../core/contracts.ts';
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
  for (const { options: counter, open } of countersFor(manifest)) {
    t.test(`${manifest.name} keeps its promises with ${JSON.stringify(counter)}`, async (t) => {
      const tokenizer = await open();
      const anyRequest = anyOptions(manifest.options ?? { type: 'object', properties: {} });
      const holds = fc.asyncProperty(anyText, anyRequest, async (text, given) => {
        const options = { ...given, ...counter };
        const breaches = await breachesOf(core.service, manifest, tokenizer, { text, options });
        if (breaches.length > 0) throw new Error(`broken: ${breaches.join('; ')}`);
      });
      await t.resolves(fc.assert(holds, { numRuns: RUNS }));
      t.comment(`${RUNS} generated requests`);
    });
  }
}

/** A tokenizer that counts a chunker's tokens, and the options that choose it. */
interface Counter {
  readonly options: Readonly<Record<string, string>>;
  open(): Promise<Tokenizer>;
}

function countersFor({ uses = [], options }: Manifest): Counter[] {
  if (uses.includes('embedding')) {
    const model = options?.properties.embedding_model as { default: string };
    return [{ options: { embedding_model: model.default }, open: () => openTokenizerOf(model.default) }];
  }
  if (!uses.includes('tokenizer')) return [{ options: {}, open: () => openTokenizer('character') }];
  return TOKENIZERS.map((tokenizer) => ({ options: { tokenizer }, open: () => openTokenizer(tokenizer) }));
}

/** The tokenizer of an embedding model, which stays open until the tests end. */
async function openTokenizerOf(name: string): Promise<Tokenizer> {
  const { model } = await core.embeddings.borrow(name, new AbortController().signal);
  return model.tokenizer();
}
