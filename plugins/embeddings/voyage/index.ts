import type { Factory } from '../../../core/kit.ts';
import type manifest from './manifest.ts';

const createVoyageProvider: Factory<typeof manifest> = ({ env, hosted, 'tokenizer/tiktoken': tiktoken }) => {
  const base = hosted.baseUrl(env.VOYAGE_BASE_URL, 'https://api.voyageai.com/v1', 'VOYAGE_BASE_URL');
  return hosted.createProvider({
    title: 'Voyage',
    prefix: 'voyage/',
    known: [
      { name: 'voyage-3.5', dimensions: 1024, window: 32_000 },
      { name: 'voyage-3-large', dimensions: 1024, window: 32_000 },
      { name: 'voyage-large-2', dimensions: 1536, window: 16_000 },
      { name: 'voyage-code-2', dimensions: 1536, window: 16_000 },
      { name: 'voyage-code-3', dimensions: 1024, window: 32_000 },
    ],
    url: `${base}/embeddings`,
    keyVariable: 'VOYAGE_API_KEY',
    key: env.VOYAGE_API_KEY as string,
    limits: { items: 1000, tokens: 120_000 },
    body: (texts, model, purpose) => ({
      model,
      input: texts,
      // By default, the API silently truncates long texts.
      truncation: false,
      ...(purpose === 'similarity' ? {} : { input_type: purpose }),
    }),
    read: hosted.readData,
    tokenizer: { provider: tiktoken, name: 'cl100k_base' },
  });
};

export default createVoyageProvider;
