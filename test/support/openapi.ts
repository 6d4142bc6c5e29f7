import type { Client } from './server.ts';

/** The part of a JSON Schema that the tests read. */
export interface Schema extends Readonly<Partial<Record<Bound, number>>> {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly default?: unknown;
  readonly description?: string;
}

type Bound = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'minLength' | 'maxLength';

interface MediaType {
  readonly schema: Schema;
  readonly example?: Record<string, unknown>;
  readonly examples?: Readonly<Record<string, { readonly value: Record<string, unknown> }>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: {
    readonly 'application/json': MediaType;
    readonly 'application/x-ndjson'?: { example?: string };
  };
}

export interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly object[];
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: { readonly content: Partial<NonNullable<Response['content']>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A route that takes a body. */
export interface BodyRoute {
  readonly path: string;
  readonly operation: Operation;
  readonly schema: Schema;
  readonly parameters: readonly (readonly [name: string, schema: Schema])[];
  /** Bodies to paste. */
  readonly examples: readonly Record<string, unknown>[];
  /** Makes of any text one that the route takes: a chunker that takes JSON alone gets it as a string of JSON. */
  takes(text: string): string;
}

/** The document as it is served. */
export async function readDocument(client: Pick<Client, 'get'>): Promise<OpenApi> {
  return (await client.get('/openapi.json')).json<OpenApi>();
}

/** The document with components in the place of their references, and one schema in the place of `allOf`. */
export async function readOpenApi(client: Pick<Client, 'get'>): Promise<OpenApi> {
  const document = await readDocument(client);
  return { ...document, paths: resolved(document.paths, document) as OpenApi['paths'] };
}

function resolved(value: unknown, document: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, allOf, ...rest } = value as { $ref?: unknown; allOf?: readonly unknown[] };
  if (typeof $ref === 'string') return resolved(pointedAt($ref, document), document);
  const members = Object.fromEntries(
    Object.entries(rest).map(([name, member]) => [name, resolved(member, document)]),
  );
  if (allOf === undefined) return members;
  return merged(allOf.map((one) => resolved(one, document) as Schema).concat(members));
}

function pointedAt(pointer: string, document: unknown): unknown {
  const steps = pointer.replace(/^#\//, '').split('/');
  return steps.reduce((at, step) => (at as Record<string, unknown>)[step], document);
}

function merged(schemas: readonly Schema[]): Schema {
  const whole: Schema = Object.assign({}, ...schemas);
  if (whole.properties === undefined) return whole;
  return {
    ...whole,
    required: schemas.flatMap(({ required = [] }) => required),
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
  };
}

/** Of the schema of a body in several forms, the first: that with `text`. */
export function formWithText(schema: Schema): Schema {
  return schema.anyOf?.[0] ?? schema;
}

/** The routes below a path that are posted to, as the server describes them, with text if there are other forms. */
export async function postRoutes(client: Client, below: string): Promise<BodyRoute[]> {
  const { paths } = await readOpenApi(client);
  const found = Object.entries(paths).flatMap(([path, { post }]) => {
    const content = post?.requestBody?.content['application/json'];
    return path.startsWith(below) && post && content ? [routeOf(path, post, content)] : [];
  });
  return Promise.all(found.map(async (route) => ({ ...route, takes: await textsOf(client, route.path) })));
}

function routeOf(path: string, operation: Operation, content: MediaType): Omit<BodyRoute, 'takes'> {
  const { example, examples = {} } = content;
  const schema = formWithText(content.schema);
  const bodies = Object.values(examples).map(({ value }) => value);
  return {
    path,
    operation,
    schema,
    parameters: Object.entries(schema.properties ?? {}),
    examples: example === undefined ? bodies : [example, ...bodies],
  };
}

/** What makes of any text one that a route takes. */
export async function textsOf(client: Pick<Client, 'post'>, path: string): Promise<BodyRoute['takes']> {
  const isChunker = path.startsWith('/v1/chunk/');
  const answer = isChunker ? await client.post(path, { text: 'a' }) : undefined;
  const isRefused =
    answer?.status === 400 && /^text: not valid /.test(answer.json<{ detail: string }>().detail);
  return (text) => (isRefused && text.trim() !== '' ? JSON.stringify(text) : text);
}

/** The routes of plugins that cannot run here, for want of a key or a package. */
export async function unavailablePaths(client: Pick<Client, 'get'>): Promise<ReadonlySet<string>> {
  type Listed = Record<'kind' | 'name', string> & { readonly available: boolean };
  const plugins = (await client.get('/v1/plugins')).json<Listed[]>();
  const verbs: Readonly<Record<string, string>> = { chunker: 'chunk', refinery: 'refine' };
  const missing = plugins.filter(({ available }) => !available);
  return new Set(missing.map(({ kind, name }) => `/v1/${verbs[kind]}/${name}`));
}

/** Values just outside the bounds of a schema. */
export function outside(schema: Schema): unknown[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = schema;
  const values: unknown[] = (schema.anyOf ?? []).flatMap(outside);
  if (minimum !== undefined) values.push(minimum - 1);
  if (maximum !== undefined) values.push(maximum + 1);
  if (exclusiveMinimum !== undefined) values.push(exclusiveMinimum);
  if (exclusiveMaximum !== undefined) values.push(exclusiveMaximum);
  if (minLength !== undefined && minLength > 0) values.push('x'.repeat(minLength - 1));
  if (maxLength !== undefined) values.push('x'.repeat(maxLength + 1));
  if (schema.enum !== undefined) values.push('no-such-choice');
  return values;
}
