import type {
  HostedApi,
  HostedCall,
  HostedModels,
  HostedProvider,
} from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, EmbeddingProvider } from '../../../core/contracts/embedding.ts';
import { exposedError, refusedError } from '../../../core/errors.ts';
import type { HostedTools } from './call.ts';
import { baseUrl, type Embedding, readData } from './embed.ts';

const TOOLS: HostedTools = {
  fetch: (...args) => fetch(...args),
  limits: { retries: 4, firstDelay: 500, longestDelay: 60_000 },
  timeout: 60_000,
};

/** A provider of hosted models: batches within its limits, in order, with retries. */
export function createHostedProvider(
  provider: HostedProvider,
  tools: HostedTools = TOOLS,
): EmbeddingProvider {
  return {
    list: () => provider.known,
    open: async (name): Promise<EmbeddingModel> => ({
      name,
      bytes: 0,
      tokenizer: () => openTokenizer(provider),
      embed: (texts, request) => embed({ provider, tools, model: modelOf(provider, name), texts, request }),
    }),
  };
}

/** What factories are given as `hosted`. */
export function createHostedModels(tools: HostedTools = TOOLS): HostedModels {
  return Object.freeze({
    createProvider: (provider: HostedProvider) => createHostedProvider(provider, tools),
    ask: <Value>(api: HostedApi, call: HostedCall<Value>) => ask(api, call, tools),
    demand: <Value>(api: HostedApi, call: HostedCall<Value>) => demand(api, call, tools),
    baseUrl,
    readData,
  });
}

export const hostedModels = createHostedModels();

/** The prefix only selects the provider; it is not sent. */
const modelOf = ({ prefix }: HostedProvider, name: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

async function openTokenizer({ tokenizer: { provider, name } }: HostedProvider) {
  const tokenizer = await provider.open(name);
  if (tokenizer === undefined) throw new Error(`There is no tokenizer ${name}.`);
  return tokenizer;
}

/** Loads the network code at the first call: most servers make none. */
async function embed(embedding: Embedding) {
  const { embed } = await import('./embed.ts');
  return embed(embedding);
}

async function ask<Value>(api: HostedApi, call: HostedCall<Value>, tools: HostedTools) {
  const { ask } = await import('./call.ts');
  return ask(api, call, tools);
}

async function demand<Value>(api: HostedApi, call: HostedCall<Value>, tools: HostedTools): Promise<Value> {
  const outcome = await ask(api, call, tools);
  if (!('failure' in outcome)) return outcome.value;
  // A job would retry, which does not help if the key is wrong.
  const isForGood = outcome.status === 401 || outcome.status === 403;
  throw isForGood ? refusedError(outcome.message) : exposedError(outcome.message);
}
