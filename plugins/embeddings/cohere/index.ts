import type { Factory, ModelInfo, TokenizerProvider } from '../../../core/contracts.ts';
import { baseUrl, createHostedProvider } from '../../../core/hosted.ts';

const KNOWN: readonly ModelInfo[] = [
  { name: 'embed-english-v3.0', dimensions: 1024 },
  { name: 'embed-multilingual-v3.0', dimensions: 1024 },
  { name: 'embed-v4.0', dimensions: 1536 },
];

const createCohereProvider: Factory<'embedding'> = ({ env, 'tokenizer/tiktoken': tokenizers }) => {
  const base = baseUrl(env.COHERE_BASE_URL, 'https://api.cohere.com', 'COHERE_BASE_URL');
  return createHostedProvider(
    {
      title: 'Cohere',
      prefix: 'cohere/',
      known: KNOWN,
      url: `${base}/v2/embed`,
      keyVariable: 'COHERE_API_KEY',
      key: env.COHERE_API_KEY as string,
      limits: { items: 96, tokens: 100_000 },
      body: (texts, model, purpose) => ({
        model,
        texts,
        input_type: purpose === 'document' ? 'search_document' : 'clustering',
        embedding_types: ['float'],
      }),
      read: readFloats,
    },
    tokenizers as TokenizerProvider,
  );
};

export default createCohereProvider;

function readFloats(answer: unknown): readonly number[][] {
  return (answer as { embeddings: { float: number[][] } }).embeddings.float;
}
