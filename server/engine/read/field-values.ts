import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { Fields } from '../tasks.ts';
import type { OptionSchema } from '../validation/validator.ts';

/**
 * The fields of a form or a query string, which are all texts, converted to the types of a schema: numbers, booleans,
 * lists and objects are JSON, and a list may also be a repeated field. A value that does not fit stays a text, so
 * that the schema check names it.
 */
export function fieldValues(fields: Fields, { properties }: ObjectSchema): Record<string, unknown> {
  const values = Object.entries(fields).map(([name, texts]) => [
    name,
    valueOfField(texts, properties[name] ?? {}),
  ]);
  return Object.fromEntries(values);
}

function valueOfField(texts: readonly string[], schema: OptionSchema): unknown {
  const [text = '', ...others] = texts;
  const branches = schema.anyOf ?? [schema];
  const list = branches.find((one) => typesOf(one).includes('array'));
  const items = list?.items ?? {};
  if (others.length > 0) return texts.map((one) => oneOf(one, [items]));
  const value = oneOf(text, branches);
  const isItem = list !== undefined && typeof value === 'string' && !branches.some(isText);
  return isItem ? [oneOf(text, [items])] : value;
}

/** A text converted for one of the schemas: JSON of a type that it allows, else the text itself. */
function oneOf(text: string, branches: readonly OptionSchema[]): unknown {
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

function isText(schema: OptionSchema): boolean {
  return typesOf(schema).includes('string');
}

function typesOf(schema: OptionSchema): readonly string[] {
  if (schema.enum !== undefined) return schema.enum.map(typeOf);
  const types = [schema.type ?? []].flat();
  return types.includes('integer') ? [...types, 'number'] : types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
