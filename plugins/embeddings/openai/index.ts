import type { Factory, ModelInfo, TokenizerProvider } from '../../../core/contracts.ts';
import { baseUrl, createHostedProvider, readData } from '../../../core/hosted.ts';

const KNOWN: readonly ModelInfo[] = [
  { name: 'text-embedding-3-small', dimensions: 1536 },
  { name: 'text-embedding-3-large', dimensions: 3072 },
  { name: 'text-embedding-ada-002', dimensions: 1536 },
];

const createOpenAIProvider: Factory<'embedding'> = ({ env, 'tokenizer/tiktoken': tokenizers }) => {
  const base = baseUrl(env.OPENAI_BASE_URL, 'https://api.openai.com/v1', 'OPENAI_BASE_URL');
  return createHostedProvider(
    {
      title: 'OpenAI',
      prefix: 'openai/',
      known: KNOWN,
      url: `${base}/embeddings`,
      keyVariable: 'OPENAI_API_KEY',
      key: env.OPENAI_API_KEY as string,
      limits: { items: 2048, tokens: 300_000 },
      body: (texts, model) => ({ model, input: texts, encoding_format: 'float' }),
      read: readData,
    },
    tokenizers as TokenizerProvider,
  );
};

export default createOpenAIProvider;
