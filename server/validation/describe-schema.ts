/** Puts into words what a schema expects and what was received instead. */

const LONGEST_PREVIEW = 60;

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly object[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: object;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** What a schema expects: `an integer from 1 to 100`, `a list of which each is a string`. */
export function expectation(schema: object): string {
  const { anyOf, enum: values, type, items, minItems, const: constant } = schema as JsonSchema;
  if (anyOf !== undefined) return anyOf.map(expectation).join(' or ');
  if (values !== undefined) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (constant !== undefined) return JSON.stringify(constant);
  if (typeof type === 'object') return type.map((one) => expectation({ ...schema, type: one })).join(' or ');
  if (type === 'array') {
    const least = minItems === undefined ? '' : ` of at least ${minItems}`;
    return `a list${least}${items === undefined ? '' : ` of which each is ${expectation(items)}`}`;
  }
  if (type === 'integer') return `an integer${bounds(schema as JsonSchema)}`;
  if (type === 'number') return `a number${bounds(schema as JsonSchema)}`;
  if (type === 'string') return `a string${lengths(schema as JsonSchema)}`;
  if (type === 'boolean') return 'true or false';
  return type === 'null' ? 'null' : 'an object';
}

function bounds(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const parts: string[] = [];
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) parts.push(`of at least ${minimum}`);
  if (exclusiveMinimum !== undefined) parts.push(`above ${exclusiveMinimum}`);
  if (maximum !== undefined) parts.push(`of at most ${maximum}`);
  if (exclusiveMaximum !== undefined) parts.push(`below ${exclusiveMaximum}`);
  return parts.length === 0 ? '' : ` ${parts.join(' and ')}`;
}

function lengths({ minLength, maxLength, pattern }: JsonSchema): string {
  if (pattern !== undefined) return ` that matches ${pattern}`;
  if (maxLength !== undefined) return ` of ${minLength ?? 0} to ${maxLength} characters`;
  return minLength === undefined ? '' : ` of at least ${minLength} characters`;
}

/** A received value in a few characters: texts are cut short, lists and objects only named as such. */
export function preview(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  return cutShort(JSON.stringify(value));
}

export function cutShort(text: string): string {
  return text.length <= LONGEST_PREVIEW ? text : `${text.slice(0, LONGEST_PREVIEW)}…`;
}
