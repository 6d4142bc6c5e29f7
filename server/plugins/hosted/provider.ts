import type { HostedModels, HostedProvider } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, EmbeddingProvider } from '../../../core/contracts/embedding.ts';
import { exposedError } from '../../../core/errors.ts';
import type { HostedTools } from './call.ts';

// Loaded at the first call, because most threads make none.
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

/** Removes the prefix, which only selects the provider and is not sent. */
const modelOf = ({ prefix }: HostedProvider, name: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

async function openTokenizer({ tokenizer: { provider, name } }: HostedProvider) {
  const tokenizer = await provider.open(name);
  if (tokenizer === undefined) throw new Error(`There is no tokenizer ${name}.`);
  return tokenizer;
}

/**
 * A base URL for paths: http or https, without a trailing slash.
 *
 * @throws an error for the caller that names the variable
 */
function baseUrl(given: string | undefined, fallback: string, variable: string): string {
  const url = (given || fallback).replace(/\/+$/, '');
  if (/^https?:\/\/[^/]/.test(url)) return url;
  throw exposedError(`${variable} is not an http or https URL`);
}

/** Vectors of an answer in OpenAI's format: `data` in any order, as numbers or base64. */
function readData(answer: unknown): readonly ArrayLike<number>[] {
  const { data } = answer as { data: readonly { index?: number; embedding: unknown }[] };
  const rows: ArrayLike<number>[] = new Array(data.length);
  data.forEach(({ index, embedding }, position) => {
    rows[index ?? position] = typeof embedding === 'string' ? fromBase64(embedding) : (embedding as number[]);
  });
  // A missing row is a hole in the array, which `every` and `some` skip.
  for (let index = 0; index < rows.length; index++)
    if (!rows[index]?.length) throw new Error('a vector is missing');
  return rows;
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
