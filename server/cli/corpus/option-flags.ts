import { Option } from 'commander';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { Fields } from '../../service/tasks.ts';

interface OptionSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
  readonly description?: string;
  readonly default?: unknown;
}

/** The flags of the options that a schema has: `chunk_size` is `--chunk-size <integer>`, and may be given several times. */
export function optionFlags({ properties }: ObjectSchema): Option[] {
  return Object.entries(properties).map(([name, schema]) => flagOf(name, schema));
}

function flagOf(name: string, schema: OptionSchema): Option {
  const flag = name.replaceAll('_', '-');
  const option = new Option(`--${flag} <${kindOf(schema)}>`, descriptionOf(schema));
  return option.argParser((text: string, before?: readonly string[]) => [...(before ?? []), text]);
}

function kindOf({ type, enum: choices, anyOf, items }: OptionSchema): string {
  if (anyOf !== undefined) return [...new Set(anyOf.map(kindOf))].join(' or ');
  if (choices !== undefined && choices.length <= 8) return choices.map(String).join('|');
  if (type === 'array') return `${kindOf(items ?? {})}, ...`;
  if (type === 'object') return 'JSON';
  return type === undefined ? 'value' : [type].flat().join(' or ');
}

function descriptionOf({ description = '', default: value }: OptionSchema): string {
  if (value === undefined || value === '') return description;
  return `${description} (default: ${typeof value === 'string' ? value : JSON.stringify(value)})`;
}

/** The values of these flags, by the names of the schema. @param given what commander has read */
export function fieldsOf({ properties }: ObjectSchema, given: Readonly<Record<string, unknown>>): Fields {
  const fields = Object.keys(properties).flatMap((name) => {
    const value = given[camelCase(name)];
    return value === undefined ? [] : [[name, value as readonly string[]] as const];
  });
  return Object.fromEntries(fields);
}

function camelCase(name: string): string {
  return name.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
