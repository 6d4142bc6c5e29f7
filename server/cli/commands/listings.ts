import { Command } from 'commander';
import type { Environment, Flags } from '../../config/config.ts';
import type { ServerCradle } from '../../container.ts';
import {
  type ListedPlugin,
  type ListedTokenizer,
  listPlugins,
  listTokenizers,
} from '../../engine/stages/listings.ts';
import type { ListedModel } from '../../engine/stages/openers.ts';
import { openEngine } from '../engine.ts';
import { type PrintFlags, print, table } from './remote.ts';

type ListingFlags = PrintFlags & Pick<Flags, 'pluginsDir' | 'pluginsFrom'>;

export function listingCommands(env: Environment): readonly Command[] {
  return [
    listing('plugins', 'List the installed plugins, and what they lack', env, async (cradle, flags) => {
      print(flags, listPlugins(cradle.registry, cradle.pluginFailures.reasons), pluginsInWords);
    }),
    listing(
      'models',
      'List the embedding models and tokenizers that requests can name here',
      env,
      async ({ openers, registry, host }, flags) => {
        const models = await openers.listModels();
        print(flags, { models, tokenizers: await listTokenizers(registry, host) }, modelsInWords);
      },
    ),
  ];
}

function listing(
  name: string,
  description: string,
  env: Environment,
  list: (cradle: ServerCradle, flags: PrintFlags) => Promise<void>,
): Command {
  return new Command(name)
    .description(description)
    .option('--plugins-dir <folders>', 'folders of additional plugins')
    .option('--plugins-from <packages>', 'npm packages of additional plugins')
    .option('--json', 'print as JSON')
    .action(async ({ pluginsDir, pluginsFrom, ...flags }: ListingFlags) => {
      const engine = await openEngine({ pluginsDir, pluginsFrom }, env);
      try {
        await list(engine.cradle, flags);
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

interface Models {
  readonly models: readonly ListedModel[];
  readonly tokenizers: readonly ListedTokenizer[];
}

function modelsInWords({ models, tokenizers }: Models): string {
  const modelRows = models.map(({ name, provider, dimensions, window }) => [
    name,
    provider,
    dimensions === undefined ? '' : String(dimensions),
    window === null ? 'any length' : String(window ?? ''),
  ]);
  const tokenizerRows = tokenizers.map(({ name, provider, missing }) => [name, provider, missing.join('; ')]);
  return [
    table([['EMBEDDING MODEL', 'PLUGIN', 'DIMENSIONS', 'READS TOKENS'], ...modelRows]),
    table([['TOKENIZER', 'PLUGIN', 'MISSING'], ...tokenizerRows]),
  ].join('\n\n');
}
