import { Option } from 'commander';
import type { ObjectSchema } from '../../../../core/contracts/manifest.ts';
import { fieldValues } from '../../../engine/read/file-form.ts';

interface OptionSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
  readonly properties?: ObjectSchema['properties'];
  readonly description?: string;
  readonly default?: unknown;
}

/** Maximum length of choices, in characters, shown in the name of a flag instead of its description. */
const SHORT = 24;

/**
 * The flags for the options of a schema: `chunk_size` is `--chunk-size <integer>`, and `split_level` of `markdown` is
 * `--markdown.split-level <integer>`. A list is a flag that is repeated, or JSON.
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

/** The type of a flag's value; an omitted flag means none. */
function kindOf({ type, enum: choices, anyOf, items }: OptionSchema): string {
  if (anyOf !== undefined) {
    const kinds = anyOf.filter((one) => one.type !== 'null').map(kindOf);
    return [...new Set(kinds)].join(' or ');
  }
  if (choices !== undefined) return isShort(choices) ? choices.join('|') : 'choice';
  const types = [type ?? 'value'].flat().filter((one) => one !== 'null');
  return types.map((one) => (one === 'array' ? kindOf(items ?? {}) : (KINDS[one] ?? one))).join(' or ');
}

const KINDS: Readonly<Record<string, string>> = { object: 'JSON', string: 'text' };

function isShort(choices: readonly unknown[]): boolean {
  return choices.join('|').length <= SHORT;
}

function descriptionOf(schema: OptionSchema): string {
  const { description = '', default: value } = schema;
  const list = [schema, ...(schema.anyOf ?? [])].find(({ type }) => type === 'array');
  const { enum: choices = [] } = list?.items ?? schema;
  const notes = [
    ...(isShort(choices) ? [] : [`choices: ${choices.join(', ')}`]),
    ...(list === undefined ? [] : ['repeatable']),
    ...(isSaid(value) ? [`default: ${typeof value === 'string' ? value : JSON.stringify(value)}`] : []),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

function isSaid(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  );
}

/**
 * The problem with options, in terms of their flags.
 * @param problem begins with the name of the option, if it is about one
 */
export function problemOfFlag(problem: string, { properties }: ObjectSchema): string {
  const [path = ''] = /^[a-z]\w*(\.[a-z]\w*)*(?=[:[])/.exec(problem) ?? [];
  const [name = ''] = path.split('.');
  if (!Object.hasOwn(properties, name)) return problem;
  return `--${path.replaceAll('_', '-')}${problem.slice(path.length)}`;
}

/**
 * The values of these flags as members of a request.
 * @param given what commander has read
 */
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

/** Commander's name for the value of a flag. */
function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
