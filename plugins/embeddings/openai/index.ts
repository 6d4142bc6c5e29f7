import type { Factory } from '../../../core/kit.ts';
import type manifest from './manifest.ts';

const createOpenAIProvider: Factory<typeof manifest> = ({ env, hosted, 'tokenizer/tiktoken': tiktoken }) => {
  const base = hosted.baseUrl(env.OPENAI_BASE_URL, 'https://api.openai.com/v1', 'OPENAI_BASE_URL');
  return hosted.createProvider({
    title: 'OpenAI',
    prefix: 'openai/',
    known: [
      { name: 'text-embedding-3-small', dimensions: 1536, window: 8192 },
      { name: 'text-embedding-3-large', dimensions: 3072, window: 8192 },
      { name: 'text-embedding-ada-002', dimensions: 1536, window: 8192 },
    ],
    url: `${base}/embeddings`,
    keyVariable: 'OPENAI_API_KEY',
    key: env.OPENAI_API_KEY as string,
    limits: { items: 2048, tokens: 300_000 },
    body: (texts, model) => ({ model, input: texts, encoding_format: 'float' }),
    read: hosted.readData,
    tokenizer: { provider: tiktoken, name: 'cl100k_base' },
  });
};

export default createOpenAIProvider;
