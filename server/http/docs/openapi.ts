import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import plugin from 'fastify-plugin';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { type AccessConfig, asksForKeys } from '../../config/access.ts';
import { NAME, VERSION } from '../../config/version.ts';
import { needsKey, refusalStatuses } from '../transport/security.ts';
import { errorAnswers } from './answer-schemas.ts';
import {
  type Components,
  type Document,
  type Header,
  type Media,
  operationsOf,
  type Reference,
  type Response,
  type Schema,
} from './document.ts';
import { addExampleAnswers } from './example-answers.ts';

const REQUEST_ID: Header = {
  description: 'Id of the request, as in the log: the one sent with the request, or a new one.',
  schema: { type: 'string' },
};

/**
 * Moves repeated parts of a document into named components: schemas whose title is one word, the answers of errors,
 * and the header that every answer has.
 */
function nameComponents(document: Document): void {
  const { components } = document;
  const schemas = new SchemaCollector(components.schemas);
  const answers: Record<string, Response> = {};
  components.headers = { RequestId: REQUEST_ID };
  components.responses = answers;
  for (const { parameters = [], requestBody, responses } of operationsOf(document)) {
    for (const parameter of parameters) {
      if (parameter.schema !== undefined) parameter.schema = schemas.collect(parameter.schema);
    }
    for (const media of mediaOf(requestBody)) media.schema = schemas.collect(media.schema);
    for (const [status, response] of Object.entries(responses)) {
      if ('$ref' in response) continue;
      for (const media of mediaOf(response)) media.schema = schemas.collect(media.schema);
      response.headers = { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...response.headers };
      const name = STATUS_CODES[status]?.replace(/\W/g, '');
      // The same answer to the same error is one component: `MethodNotAllowed`.
      if (Number(status) >= 400 && name !== undefined)
        responses[status] = named('responses', answers, name, response);
    }
  }
}

function mediaOf(part: { readonly content?: Readonly<Record<string, Media>> } = {}): Media[] {
  return Object.values(part.content ?? {});
}

/** A reference to the component, unless a different one has its name. */
function named<T>(
  kind: keyof Components,
  components: Record<string, T>,
  name: string,
  one: T,
): T | Reference {
  components[name] ??= one;
  return isDeepStrictEqual(components[name], one) ? { $ref: `#/components/${kind}/${name}` } : one;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The document with answers to its example requests, which are computed at first request. */
    chunksmithDocument(): Promise<Document>;
  }
}

const TAGS = [
  { name: 'chunk', description: 'Split text into chunks' },
  { name: 'files', description: 'Split files into chunks' },
  { name: 'refine', description: 'Enrich chunks' },
  { name: 'texts', description: 'Embed texts and count their tokens' },
  { name: 'evaluate', description: 'Compare ways to chunk, using your own questions' },
  { name: 'pipelines', description: 'Store steps under a name and run them' },
  { name: 'jobs', description: 'Chunk whole corpora in the background' },
  { name: 'meta', description: 'Information about the service itself' },
];

const ABOUT_ALL = `Splits text into chunks and enriches chunks. Offsets are exact and no text is lost.

**Streams.** Chunk, refine and execute routes also take \`application/x-ndjson\`: a line with the options, then a line for
each document or list of chunks. Each is answered with a line, in their order, and a failing one does not affect the others. With
\`Accept: application/x-ndjson\` a request in JSON is answered in lines too.

**Compression.** Routes that chunk, refine, evaluate, embed and tokenize take bodies with \`Content-Encoding\` \`gzip\`, \`br\`,
\`deflate\` or \`zstd\`; the body limit applies to the decompressed size.`;

/** How keys are sent. */
const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'One of the keys of the server, as `Authorization: Bearer <key>`.',
  },
} as const;

/**
 * Describes the routes registered after it, as OpenAPI 3.1. Their response schemas are only for the documentation:
 * compiling a serializer for each would cost memory at every start.
 */
export const openapi = plugin(
  async (app) => {
    const { config, registry, runner } = app.chunksmith;
    const { prefix } = app;
    const hasKeys = asksForKeys(config);
    app.setSerializerCompiler(() => (value) => JSON.stringify(value));
    await app.register(swagger, {
      transform: ({ schema, url, route }) => ({
        schema: withErrors(schema, route.method, config, url.slice(prefix.length)),
        url,
      }),
      transformObject: (given) => {
        const document = 'openapiObject' in given ? given.openapiObject : given.swaggerObject;
        nameComponents(document as unknown as Document);
        return document;
      },
      openapi: {
        openapi: '3.1.0',
        info: {
          title: NAME,
          version: VERSION,
          description: ABOUT_ALL,
          license: { name: 'MIT', identifier: 'MIT' } as { name: string },
        },
        servers: [{ url: '/', description: 'This server' }],
        tags: TAGS,
        security: hasKeys ? [{ apiKey: [] }] : [],
        components: hasKeys ? { securitySchemes: SECURITY_SCHEMES } : {},
      },
    });
    let complete: Promise<Document> | undefined;
    app.decorate('chunksmithDocument', async () => {
      const document = app.swagger() as unknown as Document;
      // A busy server computes no examples; the next request tries again.
      if (complete === undefined && runner.load().isFull) return document;
      complete ??= addExampleAnswers(document, registry, runner);
      return complete;
    });
  },
  { name: 'chunksmith-openapi', dependencies: ['chunksmith-services', 'chunksmith-security'] },
);

/**
 * The schema of a route with the errors of its parsing and of earlier hooks, in addition to its own. Without security
 * if it needs no key.
 */
function withErrors(
  schema: FastifySchema,
  method: string | string[],
  config: AccessConfig,
  path: string,
): FastifySchema {
  if (schema?.response === undefined) return schema;
  const errors = errorAnswers([...statusesOf(schema, method), ...refusalStatuses(config, path)]);
  const isOpen = asksForKeys(config) && !needsKey(config, path);
  return {
    ...schema,
    ...(isOpen ? { security: [] } : {}),
    response: { ...schema.response, ...errors },
  };
}

/** The errors of parsing, by what is parsed, and those of running work. */
function statusesOf(
  { body, querystring, headers, params, tags }: FastifySchema,
  method: string | string[],
): number[] {
  const names = Object.keys((headers as ObjectSchema | undefined)?.properties ?? {});
  return [
    405,
    ...(body !== undefined || querystring !== undefined || headers !== undefined ? [400] : []),
    ...(params !== undefined ? [404] : []),
    ...(names.includes('if-match') ? [412] : []),
    ...(method === 'GET' ? [] : [413, 415]),
    ...(tags?.includes('meta') ? [] : [500, 503]),
  ];
}

/** Keywords whose value is schemas by name. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
/** Keywords whose value is an instance, which may look like a schema. */
const VALUES = new Set(['enum', 'const', 'default', 'examples', 'example']);
/** Keywords of this service's own, which other readers of schemas do not know. */
const PRIVATE = new Set(['lessThan', 'excludes', 'effectiveWith']);

const COMPONENT = /^[A-Z][A-Za-z0-9]*$/;

/** Tidies schemas for the documentation, and turns those whose title is one word into components with that name. */
class SchemaCollector {
  readonly #components: Record<string, Schema>;

  constructor(components: Record<string, Schema>) {
    this.#components = components;
  }

  /** The schema without private keywords, with types for all enums, and with references to components. */
  collect(schema: Schema): Schema {
    const known = Object.entries(schema).filter(([keyword]) => !PRIVATE.has(keyword));
    const tidied: Record<string, unknown> = Object.fromEntries(
      known.map(([keyword, value]) => [keyword, this.#valueOf(keyword, value)]),
    );
    if (schema.effectiveWith !== undefined) tidied['x-effective-with'] = schema.effectiveWith;
    if (tidied.type === undefined) Object.assign(tidied, typeOfValues(tidied));
    const { title, ...untitled } = tidied;
    if (typeof title !== 'string' || !COMPONENT.test(title)) return tidied;
    return named('schemas', this.#components, title, untitled);
  }

  #valueOf(keyword: string, value: unknown): unknown {
    if (typeof value !== 'object' || value === null || VALUES.has(keyword)) return value;
    if (Array.isArray(value)) return value.map((one) => this.#valueOf(keyword, one));
    if (!MAPS.has(keyword)) return this.collect(value as Schema);
    const place = keyword === 'properties' ? withDefaultBelow : (one: Schema) => one;
    const members = Object.entries(value as Readonly<Record<string, Schema>>);
    return Object.fromEntries(members.map(([name, one]) => [name, place(this.collect(one))]));
  }
}

/**
 * Moves the default of a property one level down. Some type generators treat a property with its own default as
 * always present, so that clients would have to send every option.
 */
function withDefaultBelow(schema: Schema): Schema {
  if (schema.default === undefined) return schema;
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), allOf: [rest] };
}

/** The common type of the values that a schema lists, or their types. */
function typeOfValues({ enum: values, const: constant }: Schema): { readonly type?: string | string[] } {
  const listed = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
  const types = [...new Set(listed.map(typeOf))];
  const [type] = types;
  if (type === undefined) return {};
  return { type: types.length === 1 ? type : types.sort() };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
