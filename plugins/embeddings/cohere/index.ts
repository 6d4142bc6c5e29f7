import type { Factory } from '../../../core/kit.ts';
import type manifest from './manifest.ts';

const INPUT_TYPES = { document: 'search_document', query: 'search_query', similarity: 'clustering' };

const createCohereProvider: Factory<typeof manifest> = ({ env, hosted, 'tokenizer/tiktoken': tiktoken }) => {
  const base = hosted.baseUrl(env.COHERE_BASE_URL, 'https://api.cohere.com', 'COHERE_BASE_URL');
  return hosted.createProvider({
    title: 'Cohere',
    prefix: 'cohere/',
    known: [
      { name: 'embed-english-v3.0', dimensions: 1024, window: 512 },
      { name: 'embed-multilingual-v3.0', dimensions: 1024, window: 512 },
      { name: 'embed-v4.0', dimensions: 1536, window: 128_000 },
    ],
    url: `${base}/v2/embed`,
    keyVariable: 'COHERE_API_KEY',
    key: env.COHERE_API_KEY as string,
    limits: { items: 96, tokens: 100_000 },
    body: (texts, model, purpose) => ({
      model,
      texts,
      input_type: INPUT_TYPES[purpose],
      embedding_types: ['float'],
      // By default, the API silently truncates long texts.
      truncate: 'NONE',
    }),
    read: (answer) => (answer as { embeddings: { float: number[][] } }).embeddings.float,
    tokenizer: { provider: tiktoken, name: 'cl100k_base' },
  });
};

export default createCohereProvider;
