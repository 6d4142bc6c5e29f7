import type { FastifySchema } from 'fastify';
import type { Manifest, ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { SOURCES } from '../../service/document-schemas.ts';
import type { RequestSchemas } from '../../service/request-schemas.ts';
import { errorAnswers, jsonAnswer } from '../answer-schemas.ts';
import { componentName, operationId, titleOf } from './names.ts';
import { chunksStream, documentStream, orStream, orStreamed } from './stream-schemas.ts';
import { chunk, chunkOf, embeddings, oneOrMany, pipelineChunk, tokenizedTexts } from './work-answers.ts';

/** What the documentation says of the routes whose requests are work. */

const failures = errorAnswers([400, 405, 413, 415, 500, 503]);

const textInput = { title: 'TextInput', type: 'object', required: ['text'], properties: SOURCES.text };
const documentsInput = {
  title: 'DocumentsInput',
  type: 'object',
  required: ['documents'],
  properties: SOURCES.documents,
};

/** What a request has chunked, and what it says of the fields of the chunks. */
function sourceInput({ fields }: RequestSchemas): object {
  const asked = { title: 'ChunkFields', type: 'object', properties: fields };
  return { title: 'SourceInput', allOf: [{ anyOf: [textInput, documentsInput] }, asked] };
}

const OF_TEXTS =
  'The chunks of the text; for a list of texts, and for documents, a list of lists in the same order.';
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
  return pluginRouteSchema(entry, 'chunk', sourceInput(schemas), schemas, answer);
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
  const { name, summary, example } = manifest;
  // What is in the request besides the input may be neither here nor there, so no part of it may be closed by itself.
  const { additionalProperties: _, ...options } = schemas.step(manifest);
  const body = {
    allOf: [input, { title: `${componentName(manifest)}Options`, ...options }],
    unevaluatedProperties: false,
    ...(example === undefined ? {} : { examples: [example] }),
  };
  const note = missing.length === 0 ? '' : `\n\n**Not available here:** ${missing.join('; ')}.`;
  return {
    tags: [verb],
    operationId: operationId(verb, name),
    summary: titleOf(manifest),
    description: summary + note,
    body: orStream(body, verb === 'chunk' ? documentStream : chunksStream),
    response: {
      200: orStreamed(jsonAnswer(answer.description, oneOrMany(answer.chunk), headersOf(manifest))),
      ...failures,
    },
  };
}

/** The headers of an answer in which the plugin, or the service for it, reports something. */
function headersOf({ reports = {}, uses = [] }: Manifest): Record<string, object> {
  const own = Object.entries(reports).map(([name, description]) => [
    `x-${name}`,
    { type: 'string', description },
  ]);
  return { ...(uses.includes('embedding') ? modelHeader : {}), ...Object.fromEntries(own) };
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
export function executeRouteSchema(schemas: RequestSchemas): FastifySchema {
  return {
    tags: ['pipelines'],
    operationId: 'execute_pipeline',
    summary: 'Execute a pipeline',
    description: 'Runs the steps of a stored pipeline on a text, a list of texts or documents.',
    params: pipelineId,
    body: orStream(
      {
        allOf: [sourceInput(schemas)],
        unevaluatedProperties: false,
        examples: [{ text: 'First sentence. Second sentence!' }],
      },
      documentStream,
    ),
    response: {
      200: orStreamed(jsonAnswer(OF_TEXTS, oneOrMany(pipelineChunk))),
      ...errorAnswers([400, 404, 405, 413, 415, 500, 503]),
    },
  };
}

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

function withExample(title: string, schema: ObjectSchema, example: object): object {
  return { title, ...schema, examples: [example] };
}
