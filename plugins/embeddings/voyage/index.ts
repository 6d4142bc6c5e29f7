import type { Factory, ModelInfo, TokenizerProvider } from '../../../core/contracts.ts';
import { baseUrl, createHostedProvider, readData } from '../../../core/hosted.ts';

const KNOWN: readonly ModelInfo[] = [
  { name: 'voyage-3.5', dimensions: 1024 },
  { name: 'voyage-3-large', dimensions: 1024 },
  { name: 'voyage-large-2', dimensions: 1536 },
  { name: 'voyage-code-2', dimensions: 1536 },
  { name: 'voyage-code-3', dimensions: 1024 },
];

const createVoyageProvider: Factory<'embedding'> = ({ env, 'tokenizer/tiktoken': tokenizers }) => {
  const base = baseUrl(env.VOYAGE_BASE_URL, 'https://api.voyageai.com/v1', 'VOYAGE_BASE_URL');
  return createHostedProvider(
    {
      title: 'Voyage',
      prefix: 'voyage/',
      known: KNOWN,
      url: `${base}/embeddings`,
      keyVariable: 'VOYAGE_API_KEY',
      key: env.VOYAGE_API_KEY as string,
      limits: { items: 1000, tokens: 120_000 },
      body: (texts, model, purpose) => ({
        model,
        input: texts,
        ...(purpose === 'document' ? { input_type: 'document' } : {}),
      }),
      read: readData,
    },
    tokenizers as TokenizerProvider,
  );
};

export default createVoyageProvider;
