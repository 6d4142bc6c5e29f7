import { Command } from 'commander';
import type { Environment, Flags } from '../../config/config.ts';
import {
  type ListedPlugin,
  type ListedTokenizer,
  listPlugins,
  listTokenizers,
} from '../../engine/stages/listings.ts';
import type { ListedModel } from '../../engine/stages/openers.ts';
import { type Engine, openEngine } from '../engine.ts';
import { type PrintFlags, print, table } from './remote.ts';

type ListingFlags = PrintFlags & Pick<Flags, 'pluginsDir' | 'pluginsFrom'>;

/** `chunksmith plugins` and `models`: what a service with these plugins would have. */
export function listingCommands(env: Environment): readonly Command[] {
  const plugins = listing(
    'plugins',
    'List the installed plugins, and what they lack',
    env,
    async (engine) => {
      const listed = listPlugins(engine.registry, await engine.importCheck.failures());
      return { answer: listed, inWords: () => pluginsInWords(listed) };
    },
  );
  const models = listing(
    'models',
    'List the embedding models and tokenizers that requests can name here',
    env,
    async (engine) => {
      const embedding = await engine.openers.listModels();
      const tokenizers = await listTokenizers(engine.registry, engine.host);
      return {
        answer: { models: embedding, tokenizers },
        inWords: () => modelsInWords(embedding, tokenizers),
      };
    },
  );
  return [plugins, models];
}

interface Listing {
  readonly answer: unknown;
  inWords(): string;
}

function listing(
  name: string,
  description: string,
  env: Environment,
  list: (engine: Engine) => Promise<Listing>,
): Command {
  return new Command(name)
    .description(description)
    .option('--plugins-dir <folders>', 'folders of additional plugins')
    .option('--plugins-from <packages>', 'npm packages of additional plugins')
    .option('--json', 'print as JSON')
    .action(async ({ pluginsDir, pluginsFrom, ...flags }: ListingFlags) => {
      const engine = await openEngine({ pluginsDir, pluginsFrom }, env);
      try {
        const { answer, inWords } = await list(engine);
        print(flags, answer, inWords);
      } finally {
        await engine.close();
      }
    });
}

function pluginsInWords(plugins: readonly ListedPlugin[]): string {
  const rows = plugins.map(({ kind, name, version, state, reason, summary }) => [
    `${kind ?? 'unknown'}/${name}`,
    version ?? '',
    state,
    reason ?? summary,
  ]);
  return table([['PLUGIN', 'VERSION', 'STATE', ''], ...rows]);
}

function modelsInWords(models: readonly ListedModel[], tokenizers: readonly ListedTokenizer[]): string {
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
