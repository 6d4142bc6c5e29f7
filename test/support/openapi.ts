import type { Client } from './server.ts';

/** The part of a JSON Schema that the tests read. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string;
}

interface MediaType {
  readonly schema: Schema;
  readonly example?: Record<string, unknown>;
  readonly examples?: Readonly<Record<string, { readonly value: Record<string, unknown> }>>;
}

export interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': MediaType } };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

export interface OpenApi {
  readonly openapi: string;
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
}

export async function readOpenApi(client: Client): Promise<OpenApi> {
  return (await client.get('/openapi.json')).json<OpenApi>();
}

/** The routes below a path that are posted to, as the server describes them. */
export async function postRoutes(client: Client, below: string): Promise<BodyRoute[]> {
  const { paths } = await readOpenApi(client);
  return Object.entries(paths).flatMap(([path, { post }]) => {
    const content = post?.requestBody?.content['application/json'];
    if (!path.startsWith(below) || post === undefined || content === undefined) return [];
    const { schema, example, examples = {} } = content;
    const bodies = Object.values(examples).map(({ value }) => value);
    return [
      {
        path,
        operation: post,
        schema,
        parameters: Object.entries(schema.properties ?? {}),
        examples: example === undefined ? bodies : [example, ...bodies],
      },
    ];
  });
}

/** Whether a value has the type that a schema asks for; bounds are not looked at. */
export function hasType(schema: Schema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((branch) => hasType(branch, value));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (typeof schema.type === 'object') return schema.type.some((type) => hasType({ ...schema, type }, value));
  if (schema.type === 'null') return value === null;
  if (schema.type === 'integer') return Number.isInteger(value);
  if (schema.type === 'array') {
    return Array.isArray(value) && value.every((item) => hasType(schema.items ?? {}, item));
  }
  if (schema.type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === schema.type;
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
