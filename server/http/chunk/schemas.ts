import type { FastifySchema } from 'fastify';
import type { Manifest, ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { described, object, text } from '../../engine/answer/schemas.ts';
import { PRESET_NAMES } from '../../engine/presets/presets.ts';
import { SOURCES } from '../../engine/read/document-schemas.ts';
import { presetOptions, type RequestSchemas } from '../../engine/read/request-schemas.ts';
import { jsonAnswer } from '../docs/answer-schemas.ts';
import { componentName, operationId, purposeOf } from '../docs/document.ts';
import { chunkOf, embeddings, givenChunk, oneOrMany, pipelineChunk, tokenizedTexts } from './answers.ts';
import { chunksStream, documentStream, orStream, orStreamed } from './stream-schemas.ts';

const textInput = { title: 'TextInput', ...object(SOURCES.text) };
const documentsInput = { title: 'DocumentsInput', ...object(SOURCES.documents) };

/** The schema of a body with the members of all parts and no others. The parts must allow other members. */
export function closed(...parts: readonly object[]): object {
  return { allOf: parts, unevaluatedProperties: false };
}

function sourceBody(schemas: RequestSchemas, ...parts: readonly object[]): object {
  return { anyOf: [textInput, documentsInput].map((input) => closed(input, chunkFields(schemas), ...parts)) };
}

export function chunkFields({ fields }: RequestSchemas): object {
  return { title: 'ChunkFields', type: 'object', properties: fields };
}

export function optionsOf(
  manifest: Manifest,
  schemas: RequestSchemas,
): ObjectSchema & { readonly title: string } {
  const { additionalProperties: _, ...options } = schemas.step(manifest);
  return { title: `${componentName(manifest)}Options`, ...options };
}

export function unavailableNote({ missing }: PluginEntry): string {
  return missing.length === 0 ? '' : `\n\n**Not available here:** ${missing.join('; ')}.`;
}

const OF_TEXTS =
  'The chunks of the text; for a list of texts, and for documents, a list of lists in the same order.';
const OF_CHUNKS = 'The chunks in the same order, with the added fields; a list of lists for a list of lists.';

const chunksInput = {
  title: 'ChunksInput',
  ...object({
    chunks: described(
      'Chunks as a chunker returns them; further fields are returned unchanged.',
      oneOrMany(givenChunk),
    ),
  }),
};

const ROUTES = {
  chunker: {
    verb: 'chunk',
    takes: 'Takes a text, a list of texts, or documents with ids.',
    description: OF_TEXTS,
    stream: documentStream,
    bodyWith: (options: object, schemas: RequestSchemas) => sourceBody(schemas, options),
  },
  refinery: {
    verb: 'refine',
    takes: 'Takes a list of chunks, or a list of such lists.',
    description: OF_CHUNKS,
    stream: chunksStream,
    bodyWith: (options: object) => closed(chunksInput, options),
  },
};

export function pluginRouteSchema(
  kind: keyof typeof ROUTES,
  entry: PluginEntry,
  schemas: RequestSchemas,
): FastifySchema {
  const { manifest } = entry;
  const { name, example } = manifest;
  const { verb, takes, description, stream, bodyWith } = ROUTES[kind];
  const body = {
    ...bodyWith(optionsOf(manifest, schemas), schemas),
    ...(example === undefined ? {} : { examples: [example] }),
  };
  return {
    tags: [verb],
    operationId: operationId(verb, name),
    summary: purposeOf(manifest),
    description: `${takes}${unavailableNote(entry)}`,
    body: orStream(body, stream),
    response: { 200: orStreamed(jsonAnswer(description, oneOrMany(chunkOf(manifest)), headersOf(manifest))) },
  };
}

/** Schemas of an answer's headers: the reports of the plugin, and the service's reports about its model. */
export function headersOf({ reports = {}, uses = [] }: Manifest): Record<string, object> {
  return { ...(uses.includes('embedding') ? modelHeader : {}), ...reportHeaders(reports) };
}

export function reportHeaders(reports: Readonly<Record<string, string>>): Record<string, object> {
  const headers = Object.entries(reports).map(([name, what]) => [`x-${name}`, described(what, text)]);
  return Object.fromEntries(headers);
}

export const modelHeader = {
  'x-embedding-model': described(
    "The model's own name, then the name and version of its lexical fallback if that made some of the vectors.",
    text,
  ),
  'x-embedding-empty': described(
    'Number of texts with no word that the model knows: their vectors mean nothing. For a batch, one count per document; missing if zero.',
    text,
  ),
  'x-embedding-empty-at': described(
    'Which texts these are: their indexes from 0, such as those of chunks; the first 100.',
    text,
  ),
  'x-embedding-fallback': described(
    'Number of texts in languages unknown to the model: their vectors are lexical.',
    text,
  ),
  'x-embedding-cut': described(
    "Number of texts that are longer than the model's window, whatever `long_texts` did to them. For a batch, one count per document; missing if zero.",
    text,
  ),
};

export const pipelineId = object({ pipeline_id: described('Id of the pipeline.', text) });

export function executeRouteSchema(schemas: RequestSchemas): FastifySchema {
  return {
    tags: ['pipelines'],
    operationId: 'execute_pipeline',
    summary: 'Execute a pipeline',
    description: 'Runs the steps of a stored pipeline on a text, a list of texts or documents.',
    params: pipelineId,
    body: orStream(
      { ...sourceBody(schemas), examples: [{ text: 'First sentence. Second sentence!' }] },
      documentStream,
    ),
    response: {
      200: orStreamed(jsonAnswer(OF_TEXTS, oneOrMany(pipelineChunk))),
    },
  };
}

export const presetName = object({
  preset: { ...described('Name of the preset.', text), enum: PRESET_NAMES },
});

export const presetHeader = {
  'x-preset': described('The name and the version of the preset: `docs@1`.', text),
  ...modelHeader,
};

export const presetPart = { title: 'PresetOptions', type: 'object', properties: presetOptions.properties };

export function presetRouteSchema(schemas: RequestSchemas): FastifySchema {
  const example = { text: '# Tea\n\nBoil water.', override: { embeddings: null } };
  return {
    tags: ['pipelines'],
    operationId: 'execute_preset',
    summary: 'Execute a preset',
    description:
      'Runs the steps of a preset, with the changes of `override`, on a text, a list of texts or documents.',
    params: presetName,
    body: orStream({ ...sourceBody(schemas, presetPart), examples: [example] }, documentStream),
    response: { 200: orStreamed(jsonAnswer(OF_TEXTS, oneOrMany(pipelineChunk), presetHeader)) },
  };
}

export function embedRouteSchema({ embed }: RequestSchemas): FastifySchema {
  return {
    tags: ['texts'],
    operationId: 'embed_texts',
    summary: 'Embed texts',
    description: 'Returns a vector for each text: documents, a query, or texts to compare.',
    body: withExample('EmbedRequest', embed, { text: ['How long does tea steep?'], purpose: 'query' }),
    response: { 200: jsonAnswer('The vectors of the texts.', embeddings, modelHeader) },
  };
}

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

/** Adds the example if it has all required members. It may lack the model on a server without a default. */
export function withExample(title: string, schema: ObjectSchema, example: object): object {
  const isWhole = (schema.required ?? []).every((name) => name in example);
  return { title, ...schema, ...(isWhole ? { examples: [example] } : {}) };
}
