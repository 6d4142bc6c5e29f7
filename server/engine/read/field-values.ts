import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { Fields } from '../tasks.ts';

interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
}

/**
 * The values of the fields of a form or an address, which are all texts, by the types of a schema: numbers, truth values,
 * lists and objects are JSON, and a list may also be a field that is given several times. What does not fit stays a text,
 * so that the check of the schema names it.
 */
export function fieldValues(fields: Fields, { properties }: ObjectSchema): Record<string, unknown> {
  const values = Object.entries(fields).map(([name, texts]) => [
    name,
    valueOfField(texts, properties[name] ?? {}),
  ]);
  return Object.fromEntries(values);
}

function valueOfField(texts: readonly string[], schema: FieldSchema): unknown {
  const [text = '', ...others] = texts;
  const branches = schema.anyOf ?? [schema];
  const list = branches.find((one) => typesOf(one).includes('array'));
  const items = list?.items ?? {};
  if (others.length > 0) return texts.map((one) => oneOf(one, [items]));
  const value = oneOf(text, branches);
  const isItem = list !== undefined && typeof value === 'string' && !branches.some(isText);
  return isItem ? [oneOf(text, [items])] : value;
}

/** A text as what one of the schemas takes: JSON of a type that it has, else the text itself. */
function oneOf(text: string, branches: readonly FieldSchema[]): unknown {
  const value = parsed(text);
  const isWanted = branches.some((branch) => typesOf(branch).includes(typeOf(value)));
  const mayBeText = branches.some(isText);
  return isWanted && !(mayBeText && typeof value === 'string') ? value : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(schema: FieldSchema): boolean {
  return typesOf(schema).includes('string');
}

function typesOf(schema: FieldSchema): readonly string[] {
  if (schema.enum !== undefined) return schema.enum.map(typeOf);
  const types = [schema.type ?? []].flat();
  return types.includes('integer') ? [...types, 'number'] : types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
