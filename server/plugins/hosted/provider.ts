import type { HostedModels, HostedProvider } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, EmbeddingProvider } from '../../../core/contracts/embedding.ts';
import { ask, demand, type HostedTools } from './call.ts';
import { baseUrl, embed, readData } from './embed.ts';

const TOOLS: HostedTools = {
  fetch: (...args) => fetch(...args),
  limits: { retries: 4, firstDelay: 500, longestDelay: 60_000 },
  timeout: 60_000,
};

/** What factories are given as `hosted`. */
export function createHostedModels(tools: HostedTools = TOOLS): HostedModels {
  return Object.freeze<HostedModels>({
    createProvider: (provider) => createHostedProvider(provider, tools),
    ask: (api, call) => ask(api, call, tools),
    demand: (api, call) => demand(api, call, tools),
    baseUrl,
    readData,
  });
}

export const hostedModels = createHostedModels();

function createHostedProvider(provider: HostedProvider, tools: HostedTools): EmbeddingProvider {
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

/** The prefix only selects the provider; it is not sent. */
const modelOf = ({ prefix }: HostedProvider, name: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

async function openTokenizer({ tokenizer: { provider, name } }: HostedProvider) {
  const tokenizer = await provider.open(name);
  if (tokenizer === undefined) throw new Error(`There is no tokenizer ${name}.`);
  return tokenizer;
}
