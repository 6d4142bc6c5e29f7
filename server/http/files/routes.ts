import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import type { Manifest } from '../../../core/contracts/manifest.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import { described, listOf, object, text } from '../../engine/answer/schemas.ts';
import { fileDocumentSchema } from '../../engine/read/document-schemas.ts';
import type { RequestSchemas } from '../../engine/read/request-schemas.ts';
import type { DocumentsTask, Fields, FileTask } from '../../engine/tasks.ts';
import { chunkOf, pipelineChunk } from '../chunk/answers.ts';
import {
  chunkFields,
  closed,
  headersOf,
  optionsOf,
  pipelineId,
  presetHeader,
  presetName,
  presetPart,
  reportHeaders,
  unavailableNote,
} from '../chunk/schemas.ts';
import { jsonAnswer } from '../docs/answer-schemas.ts';
import { operationId, purposeOf } from '../docs/document.ts';
import { lookedUpSteps, lookUpPipeline, presetTask } from '../pipelines/steps-of-path.ts';
import { answerWith } from '../transport/answer-work.ts';
import { readBody } from '../transport/bodies.ts';
import { senderOf } from '../transport/security.ts';

export async function fileRoutes(app: FastifyInstance): Promise<void> {
  const { registry, requestSchemas } = app.chunksmith;
  const answer = answerWith(app.chunksmith);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', readBody);
  for (const entry of registry.ofKind('chunker')) {
    const { name } = entry.manifest;
    const schema = fileRouteSchema(entry, registry, requestSchemas);
    app.post(`/v1/chunk/${name}/file`, { schema }, (request, reply) =>
      answer(request, reply, taskOf(request, { run: 'chunk', name })),
    );
  }
  app.post(
    '/v1/pipelines/:pipeline_id/execute/file',
    { schema: executeFileSchema(registry, requestSchemas), onRequest: lookUpPipeline(app.chunksmith) },
    async (request, reply) =>
      answer(request, reply, taskOf(request, { run: 'execute', steps: await lookedUpSteps(request) })),
  );
  app.post(
    '/v1/presets/:preset/execute/file',
    { schema: presetFileSchema(registry, requestSchemas) },
    async (request, reply) => answer(request, reply, taskOf(request, presetTask(request, reply))),
  );
}

function taskOf(request: FastifyRequest, of: DocumentsTask): FileTask {
  const { headers, query, server } = request;
  const sender = senderOf(request, server.chunksmith.config);
  const given = Object.entries(query as Readonly<Record<string, string | string[]>>);
  const fields: Fields = Object.fromEntries(given.map(([name, value]) => [name, [value].flat()]));
  return { run: 'file', of, contentType: headers['content-type'], query: fields, sender };
}

const bytes = { type: 'string', contentMediaType: 'application/octet-stream' } as const;

const inQuery = {
  filename: described('Name of the file, optionally with folders, instead of the one in the form.', text),
  reader: described('The reader of the file; by default, its name and media type decide.', text),
};
const OF_OPTIONS =
  'Options of the reader, as `GET /v1/plugins` lists them, as JSON: `{"content": "main"}` for the main content of a web page.';
const querystring = {
  type: 'object',
  properties: { ...inQuery, reader_options: described(OF_OPTIONS, text) },
};

const fileInput = {
  title: 'FileInput',
  ...object(
    {
      file: described('The file, with its name and media type.', bytes),
      ...inQuery,
      reader_options: { type: 'object', description: OF_OPTIONS },
      document: fileDocumentSchema,
    },
    ['filename', 'reader', 'reader_options', 'document'],
  ),
};

const HOW = `The file is the field \`file\` of a form, whose other fields are the options; or it is the body itself, with its
\`Content-Type\`, and the fields stand in the address: \`?filename=cities.csv&chunk_size=256\`. Lists and objects are
written as JSON, and a field may be repeated for a list. Offsets refer to the text that was read.`;

function fileRouteSchema(entry: PluginEntry, registry: Registry, schemas: RequestSchemas): FastifySchema {
  const { manifest } = entry;
  return {
    tags: ['files'],
    operationId: operationId('chunk', `${manifest.name}-file`),
    summary: `${purposeOf(manifest)}, for files`,
    description: `${HOW}${unavailableNote(entry)}`,
    querystring,
    body: fileBody(chunkFields(schemas), fieldsOf(manifest, schemas)),
    response: {
      200: jsonAnswer('The chunks of the file.', listOf(chunkOf(manifest)), {
        ...readHeaders(registry),
        ...headersOf(manifest),
      }),
    },
  };
}

function executeFileSchema(registry: Registry, schemas: RequestSchemas): FastifySchema {
  return {
    tags: ['files'],
    operationId: 'execute_pipeline_file',
    summary: 'Execute a pipeline on a file',
    description: `Runs the steps of a stored pipeline on the text of a file.\n\n${HOW}`,
    params: pipelineId,
    querystring,
    body: fileBody(chunkFields(schemas)),
    response: {
      200: jsonAnswer('The chunks of the file.', listOf(pipelineChunk), readHeaders(registry)),
    },
  };
}

function presetFileSchema(registry: Registry, schemas: RequestSchemas): FastifySchema {
  return {
    tags: ['files'],
    operationId: 'execute_preset_file',
    summary: 'Execute a preset on a file',
    description: `Runs the steps of a preset on the text of a file.\n\n${HOW}`,
    params: presetName,
    querystring,
    body: fileBody(chunkFields(schemas), presetPart),
    response: {
      200: jsonAnswer('The chunks of the file.', listOf(pipelineChunk), {
        ...readHeaders(registry),
        ...presetHeader,
      }),
    },
  };
}

/** Schema of a chunker's options as fields of a form, without the members that describe the file. */
function fieldsOf(manifest: Manifest, schemas: RequestSchemas): object {
  const { title, ...options } = optionsOf(manifest, schemas);
  const kept = Object.entries(options.properties).filter(([name]) => !(name in fileInput.properties));
  const isWhole = kept.length === Object.keys(options.properties).length;
  return isWhole ? { title, ...options } : { ...options, properties: Object.fromEntries(kept) };
}

function fileBody(...parts: readonly object[]): object {
  const form = closed(fileInput, ...parts);
  return { content: { 'multipart/form-data': { schema: form }, '*/*': { schema: bytes } } };
}

function readHeaders(registry: Registry): Record<string, object> {
  const reports = registry.ofKind('reader').map(({ manifest }) => manifest.reports);
  return reportHeaders(Object.assign({ ...OF_ALL }, ...reports));
}

const OF_ALL = {
  'source-encoding': 'The encoding that the bytes were decoded with; missing for a file that is not text.',
  'source-left-out': 'Content that is not in the text: `note 2; repeated_line 12`.',
};
