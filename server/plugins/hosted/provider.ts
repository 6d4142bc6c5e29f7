import type { HostedModels, HostedProvider } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, EmbeddingProvider } from '../../../core/contracts/embedding.ts';
import { exposedError } from '../../../core/errors.ts';
import type { HostedTools } from './call.ts';

// Loads the module at the first call to an API, because most threads make none.
const loadCalls = () => import('./call.ts');

const TOOLS: HostedTools = {
  fetch: (...args) => fetch(...args),
  limits: { retries: 4, firstDelay: 500, maxDelay: 60_000 },
  timeout: 60_000,
};

export function createHostedModels(tools: HostedTools = TOOLS): HostedModels {
  return Object.freeze<HostedModels>({
    createProvider: (provider) => createHostedProvider(provider, tools),
    ask: async (api, call) => (await loadCalls()).ask(api, call, tools),
    demand: async (api, call) => (await loadCalls()).demand(api, call, tools),
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
      async embed(texts, request) {
        const { embed } = await import('./embed.ts');
        return embed({ provider, tools, model: modelOf(provider, name), texts, request });
      },
    }),
  };
}

/** The provider's own name of a model: without the prefix that selects the provider. */
const modelOf = ({ prefix }: HostedProvider, name: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

async function openTokenizer({ tokenizer: { provider, name } }: HostedProvider) {
  const tokenizer = await provider.open(name);
  if (tokenizer === undefined) throw new Error(`There is no tokenizer ${name}.`);
  return tokenizer;
}

/**
 * The base URL of an API, with http or https and without a trailing slash.
 *
 * @throws an error for the caller that names the variable
 */
function baseUrl(given: string | undefined, fallback: string, variable: string): string {
  const url = (given || fallback).replace(/\/+$/, '');
  if (/^https?:\/\/[^/]/.test(url)) return url;
  throw exposedError(`${variable} is not an http or https URL`);
}

/** Reads the vectors of an answer in OpenAI's format. Vectors may be in any order, as numbers or base64. */
function readData(answer: unknown): readonly ArrayLike<number>[] {
  const { data } = answer as { data: readonly { index?: number; embedding: unknown }[] };
  const rows: ArrayLike<number>[] = new Array(data.length);
  data.forEach(({ index, embedding }, position) => {
    rows[index ?? position] = typeof embedding === 'string' ? fromBase64(embedding) : (embedding as number[]);
  });
  // Uses a loop: `every` and `some` skip holes in an array, and a missing vector is a hole.
  for (let index = 0; index < rows.length; index++)
    if (!rows[index]?.length) throw new Error('a vector is missing');
  return rows;
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
