import { Command } from 'commander';
import type { Environment } from '../../config/config.ts';
import { type ListedTokenizer, listTokenizers } from '../../service/list-tokenizers.ts';
import type { ListedModel } from '../../service/openers.ts';
import { openEngine } from '../engine.ts';
import { type PrintFlags, print, table } from './remote.ts';

/** `chunksmith models` */
export function modelsCommand(env: Environment): Command {
  return new Command('models')
    .description('List the embedding models and the tokenizers that requests can name here')
    .option('--json', 'print them as JSON')
    .action(async (flags: PrintFlags) => {
      const engine = await openEngine({}, env);
      try {
        const models = await engine.openers.listModels();
        const tokenizers = await listTokenizers(engine.registry, engine.host);
        print(flags, { models, tokenizers }, () => inWords(models, tokenizers));
      } finally {
        await engine.close();
      }
    });
}

function inWords(models: readonly ListedModel[], tokenizers: readonly ListedTokenizer[]): string {
  const modelRows = models.map(({ name, provider, dimensions }) => [
    name,
    provider,
    dimensions === undefined ? '' : String(dimensions),
  ]);
  const tokenizerRows = tokenizers.map(({ name, provider, missing }) => [name, provider, missing.join('; ')]);
  return [
    table([['EMBEDDING MODEL', 'PLUGIN', 'DIMENSIONS'], ...modelRows]),
    table([['TOKENIZER', 'PLUGIN', 'MISSING'], ...tokenizerRows]),
  ].join('\n\n');
}
