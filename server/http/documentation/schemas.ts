import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './document.ts';

/** Keywords of JSON Schema whose value is a schema, a list of schemas, or schemas by name. */
const SINGLE = new Set([
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
]);
const LISTS = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems']);
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
/** The other keywords of JSON Schema and OpenAPI; what is none of these is a private one, and left out, or given as an extension. */
const PLAIN = new Set(
  `$ref type enum const title description default examples example deprecated readOnly writeOnly format pattern
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems
  minContains maxContains minProperties maxProperties required dependentRequired contentEncoding contentMediaType
  discriminator externalDocs`.split(/\s+/),
);

const COMPONENT = /^[A-Z][A-Za-z0-9]*$/;

/** Tidies schemas for the documentation, and makes those that have a title in one word components of that name. */
export class SchemaCollector {
  readonly #components: Record<string, Schema>;

  constructor(components: Record<string, Schema>) {
    this.#components = components;
  }

  /** The schema without private keywords, with types of all enums, and with references to components. */
  collect(schema: Schema): Schema {
    const tidied: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (isKnown(keyword)) tidied[keyword] = this.#valueOf(keyword, value);
    }
    if (schema.effectiveWith !== undefined) tidied['x-effective-with'] = schema.effectiveWith;
    if (tidied.type === undefined) Object.assign(tidied, typeOfValues(tidied));
    const { title } = tidied;
    return typeof title === 'string' && COMPONENT.test(title) ? this.#component(title, tidied) : tidied;
  }

  #valueOf(keyword: string, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (SINGLE.has(keyword)) return this.collect(value as Schema);
    if (LISTS.has(keyword)) return (value as Schema[]).map((one) => this.collect(one));
    if (!MAPS.has(keyword)) return value;
    const place = keyword === 'properties' ? withDefaultBelow : (one: Schema) => one;
    const members = Object.entries(value as Readonly<Record<string, Schema>>);
    return Object.fromEntries(members.map(([name, one]) => [name, place(this.collect(one))]));
  }

  /** A reference to the component, unless another schema has its name. */
  #component(name: string, { title: _, ...schema }: Schema): Schema {
    this.#components[name] ??= schema;
    return isDeepStrictEqual(this.#components[name], schema)
      ? { $ref: `#/components/schemas/${name}` }
      : schema;
  }
}

/**
 * A property with its default one level further down. Some generators of types take a property with a default of its
 * own for one that is always there, so that clients would have to send every option.
 */
function withDefaultBelow(schema: Schema): Schema {
  if (schema.default === undefined) return schema;
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), allOf: [rest] };
}

function isKnown(keyword: string): boolean {
  return SINGLE.has(keyword) || LISTS.has(keyword) || MAPS.has(keyword) || PLAIN.has(keyword);
}

/** The type of the values that a schema lists, or their types. */
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
