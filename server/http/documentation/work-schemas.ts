import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { executeRequest, type RequestSchemas } from '../../service/request-schemas.ts';
import { errorAnswers, jsonAnswer } from '../answer-schemas.ts';
import { componentName, operationId, titleOf } from './names.ts';
import { chunk, chunkOf, embeddings, oneOrMany, pipelineChunk, tokenizedTexts } from './work-answers.ts';

/** What the documentation says of the routes whose requests are work. */

const failures = errorAnswers([400, 405, 413, 415, 500, 503]);

const textInput = {
  title: 'TextInput',
  type: 'object',
  required: ['text'],
  properties: executeRequest.properties,
};

const OF_TEXTS = 'The chunks of the text; for a list of texts a list of lists, in the same order.';
const OF_CHUNKS =
  'The chunks in their order, as they came, with what was added; for a list of lists a list of lists.';

const chunksInput = {
  title: 'ChunksInput',
  type: 'object',
  required: ['chunks'],
  properties: {
    chunks: {
      ...oneOrMany(chunk),
      description: 'Chunks as a chunker answers them; further fields come back untouched.',
    },
  },
};

/** The route of a chunker. */
export function chunkRouteSchema(entry: PluginEntry, schemas: RequestSchemas): FastifySchema {
  const answer = { description: OF_TEXTS, chunk: chunkOf(entry.manifest) };
  return pluginRouteSchema(entry, 'chunk', textInput, schemas, answer);
}

/** The route of a refinery. */
export function refineRouteSchema(entry: PluginEntry, schemas: RequestSchemas): FastifySchema {
  const answer = { description: OF_CHUNKS, chunk: chunkOf(entry.manifest) };
  return pluginRouteSchema(entry, 'refine', chunksInput, schemas, answer);
}

function pluginRouteSchema(
  { manifest, missing }: PluginEntry,
  verb: 'chunk' | 'refine',
  input: object,
  schemas: RequestSchemas,
  answer: { readonly description: string; readonly chunk: object },
): FastifySchema {
  const { name, summary, example, uses = [] } = manifest;
  // What is in the request besides the input may be neither here nor there, so no part of it may be closed by itself.
  const { additionalProperties: _, ...options } = schemas.step(manifest);
  const body = {
    allOf: [input, { title: `${componentName(manifest)}Options`, ...options }],
    unevaluatedProperties: false,
    ...(example === undefined ? {} : { examples: [example] }),
  };
  const note = missing.length === 0 ? '' : `\n\n**Not available here:** ${missing.join('; ')}.`;
  const headers = uses.includes('embedding') ? modelHeader : {};
  return {
    tags: [verb],
    operationId: operationId(verb, name),
    summary: titleOf(manifest),
    description: summary + note,
    body,
    response: { 200: jsonAnswer(answer.description, oneOrMany(answer.chunk), headers), ...failures },
  };
}

const modelHeader = {
  'x-embedding-model': { type: 'string', description: 'Own name of the model that served.' },
};

const pipelineId = {
  type: 'object',
  required: ['pipeline_id'],
  properties: { pipeline_id: { type: 'string', description: 'Id of the pipeline.' } },
};

/** The route that executes a pipeline. */
export const executeRouteSchema: FastifySchema = {
  tags: ['pipelines'],
  operationId: 'execute_pipeline',
  summary: 'Execute a pipeline',
  description: 'Runs the steps of a stored pipeline on a text or a list of texts.',
  params: pipelineId,
  body: { ...textInput, examples: [{ text: 'First sentence. Second sentence!' }] },
  response: {
    200: jsonAnswer(OF_TEXTS, oneOrMany(pipelineChunk)),
    ...errorAnswers([400, 404, 405, 413, 415, 500, 503]),
  },
};

/** The route that embeds texts. */
export function embedRouteSchema({ embed }: RequestSchemas): FastifySchema {
  return {
    tags: ['texts'],
    operationId: 'embed_texts',
    summary: 'Embed texts',
    description: 'Answers a vector for each text: of documents, of a query, or of texts to compare.',
    body: withExample('EmbedRequest', embed, { text: ['How long does tea steep?'], purpose: 'query' }),
    response: { 200: jsonAnswer('The vectors of the texts.', embeddings, modelHeader), ...failures },
  };
}

/** The route that splits texts into tokens. */
export function tokenizeRouteSchema({ tokenize }: RequestSchemas): FastifySchema {
  return {
    tags: ['texts'],
    operationId: 'tokenize_texts',
    summary: 'Tokenize texts',
    description:
      'Counts the tokens of each text and says, if it is asked, where they are and what their ids are.',
    body: withExample('TokenizeRequest', tokenize, { text: 'Tea & milk', include: ['offsets', 'tokens'] }),
    response: { 200: jsonAnswer('The tokens of the texts.', tokenizedTexts), ...failures },
  };
}

/** A server without a model by default has no request that works everywhere. */
function withExample(title: string, schema: ObjectSchema, example: object): object {
  const isWhole = (schema.required ?? []).every((name) => name in example);
  return { title, ...schema, ...(isWhole ? { examples: [example] } : {}) };
}
