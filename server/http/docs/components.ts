import { isDeepStrictEqual } from 'node:util';
import {
  type Components,
  type Document,
  type Header,
  type Media,
  type Operation,
  operationsOf,
  type Parameter,
  type Reference,
  type Response,
  type Schema,
} from './document.ts';

// As in app.ts: importing `node:http` would also load the client of `fetch`.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const REQUEST_ID: Header = {
  description: 'Id of the request, as in the log: the one sent with the request, or a new one.',
  schema: { type: 'string' },
};

/**
 * Moves parts of a document into named components: schemas with a one-word title, error answers, and the
 * parameters and headers that several operations share.
 */
export function nameComponents(document: Document): void {
  const { components } = document;
  const operations = operationsOf(document);
  const schemas = new SchemaCollector(components.schemas);
  for (const operation of operations) collectSchemas(operation, schemas);
  components.headers = { RequestId: REQUEST_ID };
  nameHeaders(operations, components.headers);
  const parameters = nameParameters(operations);
  if (Object.keys(parameters).length > 0) components.parameters = parameters;
  components.responses = nameErrors(operations);
}

function collectSchemas(
  { parameters = [], requestBody, responses }: Operation,
  schemas: SchemaCollector,
): void {
  for (const parameter of parameters) {
    if ('schema' in parameter) parameter.schema = schemas.collect(parameter.schema);
  }
  for (const media of mediaOf(requestBody)) media.schema = schemas.collect(media.schema);
  for (const response of responsesOf(responses)) {
    for (const media of mediaOf(response)) media.schema = schemas.collect(media.schema);
  }
}

function responsesOf(responses: Operation['responses']): Response[] {
  return Object.values(responses).filter((one): one is Response => !('$ref' in one));
}

function nameHeaders(operations: readonly Operation[], named: Record<string, Header>): void {
  const answers = operations.flatMap(({ responses }) => responsesOf(responses));
  const all = answers.flatMap(({ headers = {} }) => Object.entries(headers));
  const refer = referTo('headers', named, all);
  for (const answer of answers) {
    const own = Object.entries(answer.headers ?? {}).map(([name, one]) => [name, refer(name, one)]);
    answer.headers = {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...Object.fromEntries(own),
    };
  }
}

function nameParameters(operations: readonly Operation[]): Record<string, Parameter> {
  const named: Record<string, Parameter> = {};
  const all = operations.flatMap(({ parameters = [] }) =>
    parameters.map((one) => [nameOf(one), one] as const),
  );
  const refer = referTo('parameters', named, all);
  for (const operation of operations) {
    if (operation.parameters === undefined) continue;
    operation.parameters = operation.parameters.map((one) => refer(nameOf(one), one));
  }
  return named;
}

const nameOf = (one: Parameter | Reference) => ('name' in one ? one.name : '');

function nameErrors(operations: readonly Operation[]): Record<string, Response> {
  const answers: Record<string, Response> = {};
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const name = STATUS_CODES[status]?.replace(/\W/g, '');
      if ('$ref' in response || Number(status) < 400 || name === undefined) continue;
      responses[status] = named('responses', answers, name, response);
    }
  }
  return answers;
}

/**
 * Makes components of repeated parts. If parts with one name differ, the most frequent part becomes the
 * component, and the others stay inline.
 *
 * @returns a function that returns a reference to the equal component, or the part itself if there is none
 */
function referTo<T>(
  kind: keyof Components,
  components: Record<string, T>,
  all: readonly (readonly [name: string, one: T | Reference])[],
): (name: string, one: T | Reference) => T | Reference {
  const counts = new Map<string, number>();
  const keyOf = (name: string, one: unknown) => `${name} ${JSON.stringify(one)}`;
  for (const [name, one] of all) counts.set(keyOf(name, one), (counts.get(keyOf(name, one)) ?? 0) + 1);
  const countOf = (given: readonly [string, unknown]) => counts.get(keyOf(...given)) ?? 0;
  const repeated = all.filter((given) => countOf(given) > 1 && !('$ref' in (given[1] as object)));
  for (const [name, one] of repeated.sort((a, b) => countOf(b) - countOf(a)))
    components[pascalCase(name)] ??= one as T;
  return (name, one) => {
    const shared = components[pascalCase(name)];
    return isDeepStrictEqual(shared, one) ? { $ref: `#/components/${kind}/${pascalCase(name)}` } : one;
  };
}

function pascalCase(name: string): string {
  const words = name.replace(/^x-/, '').split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function mediaOf(part: { readonly content?: Readonly<Record<string, Media>> } = {}): Media[] {
  return Object.values(part.content ?? {});
}

/** Makes a component and returns a reference to it. Returns `one` if a different component has the name. */
function named<T>(
  kind: keyof Components,
  components: Record<string, T>,
  name: string,
  one: T,
): T | Reference {
  components[name] ??= one;
  return isDeepStrictEqual(components[name], one) ? { $ref: `#/components/${kind}/${name}` } : one;
}

const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
/** Keywords whose values are data, not schemas, even if they look like schemas. */
const VALUES = new Set(['enum', 'const', 'default', 'examples', 'example']);
/** Keywords that only this service knows. */
const PRIVATE = new Set(['lessThan', 'excludes', 'effectiveWith']);

const COMPONENT = /^[A-Z][A-Za-z0-9]*$/;

/** Prepares schemas for the documentation. Schemas with a one-word title become components. */
class SchemaCollector {
  readonly #components: Record<string, Schema>;

  constructor(components: Record<string, Schema>) {
    this.#components = components;
  }

  /** Removes private keywords, adds types to enums, and moves schemas with a title into components. */
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
    const members = Object.entries(value as Readonly<Record<string, Schema>>);
    const isProperty = keyword === 'properties';
    return Object.fromEntries(
      members.map(([name, one]) => [name, isProperty ? this.#property(name, one) : this.collect(one)]),
    );
  }

  /** Collects the schema of a property. Keeps its description beside a reference, for generated types. */
  #property(name: string, schema: Schema): Schema {
    const { description } = schema;
    const title = isOptions(schema) ? `${pascalCase(name)}Options` : schema.title;
    const one = this.collect(title === undefined ? schema : { ...schema, title });
    if (one.$ref === undefined) return withDefaultBelow(one);
    return description === undefined ? one : { description, allOf: [one] };
  }
}

/** Whether a property has the options of another plugin as its value. Their schema has no title. */
function isOptions({ title, type, properties, default: standard }: Schema): boolean {
  return title === undefined && type === 'object' && properties !== undefined && standard !== undefined;
}

/**
 * Moves the default of a property into a nested schema. Otherwise some type generators make the property
 * required, so that clients would have to send it.
 */
function withDefaultBelow(schema: Schema): Schema {
  if (schema.default === undefined) return schema;
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), allOf: [rest] };
}

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
