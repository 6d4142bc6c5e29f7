import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';

const options = {
  type: 'object',
  properties: {
    instruction: {
      type: 'string',
      minLength: 1,
      maxLength: 4000,
      default:
        'Write one or two short sentences that say what the document is and what the chunk below is about within it, so that a search finds the chunk. Use the language of the document. Answer with these sentences alone.',
      description: 'The instruction to the model, between the document and the chunk.',
    },
    max_tokens: {
      type: 'integer',
      minimum: 1,
      maximum: 8192,
      default: 200,
      description: 'Maximum tokens of an answer, as the model counts them; its reasoning counts too.',
    },
    max_document_tokens: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000_000,
      default: 24_000,
      description:
        "Maximum tokens of the document sent in a call, by the request's tokenizer; for a longer document, a window around the chunk is sent.",
    },
    concurrency: {
      type: 'integer',
      minimum: 1,
      maximum: 32,
      default: 4,
      description: 'Maximum concurrent calls for this request.',
    },
    call_timeout: {
      type: 'integer',
      minimum: 1,
      maximum: 600,
      default: 30,
      description: 'Seconds after which the call for a chunk is given up, including its retries.',
    },
  },
} as const;

export type SummaryOptions = FromSchema<typeof options>;

export default {
  kind: 'refinery',
  name: 'summary',
  summary: 'Asks a language model for the context of each chunk: what it is about within its document.',
  options,
  fields: {
    context: {
      type: ['string', 'null'],
      description: "The model's answer, followed by the existing context; null if the call failed.",
    },
  },
  reports: {
    'summary-failed': 'How many chunks got no context because a call failed; missing if none did.',
  },
  example: {
    chunks: [
      { text: 'Run npm ci. ', start_index: 0, end_index: 12, token_count: 12 },
      { text: 'Then start the server.', start_index: 12, end_index: 34, token_count: 22 },
    ],
    max_tokens: 100,
  },
  needs: { env: ['CHAT_API_KEY', 'CHAT_MODEL'], packages: ['lru-cache', 'p-map'] },
  urls: ['CHAT_BASE_URL'],
  uses: ['tokenizer'],
  light: true,
} as const satisfies Manifest;
