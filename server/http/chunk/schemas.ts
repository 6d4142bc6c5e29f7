import type { FastifySchema } from 'fastify';
import type { Manifest, ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { SOURCES } from '../../engine/read/document-schemas.ts';
import type { RequestSchemas } from '../../engine/read/request-schemas.ts';
import { jsonAnswer } from '../docs/answer-schemas.ts';
import { componentName, operationId, purposeOf, titleOf } from '../docs/names.ts';
import { chunkOf, embeddings, givenChunk, oneOrMany, pipelineChunk, tokenizedTexts } from './answers.ts';
import { chunksStream, documentStream, orStream, orStreamed } from './stream-schemas.ts';

/** The documentation of the routes whose requests are work. */

const textInput = { title: 'TextInput', type: 'object', required: ['text'], properties: SOURCES.text };
const documentsInput = {
  title: 'DocumentsInput',
  type: 'object',
  required: ['documents'],
  properties: SOURCES.documents,
};

/** A body that has one of the inputs, and all of the parts. Only the whole can be closed, not a part of it. */
function bodyOf(inputs: readonly object[], parts: readonly object[]): object {
  const bodies = inputs.map((input) => ({ allOf: [input, ...parts], unevaluatedProperties: false }));
  return bodies.length === 1 ? (bodies[0] as object) : { anyOf: bodies };
}

/** The body of a request that chunks texts or documents, and says which further fields the chunks get. */
function sourceBody(schemas: RequestSchemas, parts: readonly object[]): object {
  return bodyOf([textInput, documentsInput], [chunkFields(schemas), ...parts]);
}

/** What a request says about the fields of its chunks. */
export function chunkFields({ fields }: RequestSchemas): object {
  return { title: 'ChunkFields', type: 'object', properties: fields };
}

/** The options of a plugin, as part of a body. */
export function optionsOf(
  manifest: Manifest,
  schemas: RequestSchemas,
): ObjectSchema & { readonly title: string } {
  const { additionalProperties: _, ...options } = schemas.step(manifest);
  return { title: `${componentName(manifest)}Options`, ...options };
}

/** Why a plugin cannot run here; empty if it can. */
export function unavailableNote({ missing }: PluginEntry): string {
  return missing.length === 0 ? '' : `\n\n**Not available here:** ${missing.join('; ')}.`;
}

const OF_TEXTS =
  'The chunks of the text; for a list of texts, and for documents, a list of lists in the same order.';
const OF_CHUNKS = 'The chunks in the same order, with the added fields; a list of lists for a list of lists.';

const chunksInput = {
  title: 'ChunksInput',
  type: 'object',
  required: ['chunks'],
  properties: {
    chunks: {
      ...oneOrMany(givenChunk),
      description: 'Chunks as a chunker returns them; further fields are returned unchanged.',
    },
  },
};

/** The route of a chunker. */
export function chunkRouteSchema(entry: PluginEntry, schemas: RequestSchemas): FastifySchema {
  const answer = { description: OF_TEXTS, chunk: chunkOf(entry.manifest) };
  return pluginRouteSchema(entry, 'chunk', (options) => sourceBody(schemas, [options]), schemas, answer);
}

/** The route of a refinery. */
export function refineRouteSchema(entry: PluginEntry, schemas: RequestSchemas): FastifySchema {
  const answer = { description: OF_CHUNKS, chunk: chunkOf(entry.manifest) };
  return pluginRouteSchema(entry, 'refine', (options) => bodyOf([chunksInput], [options]), schemas, answer);
}

function pluginRouteSchema(
  entry: PluginEntry,
  verb: 'chunk' | 'refine',
  bodyWith: (options: object) => object,
  schemas: RequestSchemas,
  answer: { readonly description: string; readonly chunk: object },
): FastifySchema {
  const { manifest } = entry;
  const { name, example } = manifest;
  const body = {
    ...bodyWith(optionsOf(manifest, schemas)),
    ...(example === undefined ? {} : { examples: [example] }),
  };
  return {
    tags: [verb],
    operationId: operationId(verb, name),
    summary: purposeOf(manifest),
    description: `${titleOf(manifest)}.${unavailableNote(entry)}`,
    body: orStream(body, verb === 'chunk' ? documentStream : chunksStream),
    response: {
      200: orStreamed(jsonAnswer(answer.description, oneOrMany(answer.chunk), headersOf(manifest))),
    },
  };
}

/** The headers of an answer in which the plugin, or the service for it, reports something. */
export function headersOf({ reports = {}, uses = [] }: Manifest): Record<string, object> {
  const own = Object.entries(reports).map(([name, description]) => [
    `x-${name}`,
    { type: 'string', description },
  ]);
  return { ...(uses.includes('embedding') ? modelHeader : {}), ...Object.fromEntries(own) };
}

export const modelHeader = {
  'x-embedding-model': { type: 'string', description: "The model's own name." },
  'x-embedding-empty': {
    type: 'string',
    description:
      'Number of texts with no word that the model knows: their vectors mean nothing. For a batch, one count per document; missing if zero.',
  },
};

export const pipelineId = {
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
      { ...sourceBody(schemas, []), examples: [{ text: 'First sentence. Second sentence!' }] },
      documentStream,
    ),
    response: {
      200: orStreamed(jsonAnswer(OF_TEXTS, oneOrMany(pipelineChunk))),
    },
  };
}

/** The route that embeds texts. */
export function embedRouteSchema({ embed }: RequestSchemas): FastifySchema {
  return {
    tags: ['texts'],
    operationId: 'embed_texts',
    summary: 'Embed texts',
    description: 'Returns a vector for each text: documents, a query, or texts to compare.',
    body: embed.required?.includes('embedding_model')
      ? { title: 'EmbedRequest', ...embed }
      : withExample('EmbedRequest', embed, { text: ['How long does tea steep?'], purpose: 'query' }),
    response: { 200: jsonAnswer('The vectors of the texts.', embeddings, modelHeader) },
  };
}

/** The route that splits texts into tokens. */
export function tokenizeRouteSchema({ tokenize }: RequestSchemas): FastifySchema {
  return {
    tags: ['texts'],
    operationId: 'tokenize_texts',
    summary: 'Tokenize texts',
    description: 'Counts the tokens of each text and, on request, returns their offsets and ids.',
    body: withExample('TokenizeRequest', tokenize, { text: 'Tea & milk', include: ['offsets', 'tokens'] }),
    response: { 200: jsonAnswer('The tokens of the texts.', tokenizedTexts) },
  };
}

/** Without a default model no request works on every server. */
function withExample(title: string, schema: ObjectSchema, example: object): object {
  const isWhole = (schema.required ?? []).every((name) => name in example);
  return { title, ...schema, ...(isWhole ? { examples: [example] } : {}) };
}
