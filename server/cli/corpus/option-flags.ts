import { Option } from 'commander';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { fieldValues } from '../../service/field-values.ts';

interface OptionSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
  readonly properties?: ObjectSchema['properties'];
  readonly description?: string;
  readonly default?: unknown;
}

/** Longest list of choices that a flag shows. */
const MOST_CHOICES = 8;

/**
 * The flags of the options that a schema has: `chunk_size` is `--chunk-size <integer>`, and `split_level` of `markdown` is
 * `--markdown.split-level <integer>`. A list is a flag that is given several times, or JSON.
 */
export function optionFlags(schema: ObjectSchema, prefix = ''): Option[] {
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const flag = `${prefix}${name.replaceAll('_', '-')}`;
    const nested = nestedIn(property);
    return nested === undefined ? [flagOf(flag, property)] : optionFlags(nested, `${flag}.`);
  });
}

/** The options within an option. */
function nestedIn({ type, properties }: OptionSchema): ObjectSchema | undefined {
  return type === 'object' && properties !== undefined ? { type, properties } : undefined;
}

function flagOf(flag: string, schema: OptionSchema): Option {
  const option = new Option(`--${flag} <${kindOf(schema)}>`, descriptionOf(schema));
  return option.argParser((text: string, before?: readonly string[]) => [...(before ?? []), text]);
}

function kindOf({ type, enum: choices, anyOf, items }: OptionSchema): string {
  if (anyOf !== undefined) return [...new Set(anyOf.map(kindOf))].join(' or ');
  if (choices !== undefined && choices.length <= MOST_CHOICES) return choices.map(String).join('|');
  if (type === 'array') return `${kindOf(items ?? {})} ...`;
  if (type === 'object') return 'JSON';
  return type === undefined ? 'value' : [type].flat().join(' or ');
}

function descriptionOf({ description = '', default: value }: OptionSchema): string {
  if (value === undefined || value === '') return description;
  return `${description} (default: ${typeof value === 'string' ? value : JSON.stringify(value)})`;
}

/** The values of these flags as the members of a request. @param given what commander has read */
export function optionValues(
  schema: ObjectSchema,
  given: Readonly<Record<string, unknown>>,
  prefix = '',
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const nested = nestedIn(property);
    const texts = given[camelCase(`${prefix}${name}`)] as readonly string[] | undefined;
    if (nested !== undefined) {
      const inner = optionValues(nested, given, `${prefix}${name}.`);
      if (Object.keys(inner).length > 0) values[name] = inner;
    } else if (texts !== undefined) Object.assign(values, fieldValues({ [name]: texts }, schema));
  }
  return values;
}

/** As commander names the values of flags. */
function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
