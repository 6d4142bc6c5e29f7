import { type Command, Option } from 'commander';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { PRESET_FLAGS, type PresetFlags } from '../../cli/preset-flags.ts';
import { fieldValues } from '../../engine/read/file-form.ts';
import { FORMATS } from '../shard.ts';
import { PROGRESS } from './progress.ts';

export interface ChunkFlags extends PresetFlags {
  readonly chunker?: string;
  readonly pipeline?: string;
  readonly group: 'chunk' | 'document';
  readonly format: 'auto' | (typeof FORMATS)[number];
  readonly idField?: string;
  readonly textField?: string;
  readonly titleField?: string;
  readonly metadataField?: readonly string[];
  readonly root?: string;
  readonly ignore: boolean;
  readonly out?: string;
  readonly resume?: true;
  readonly since?: string;
  readonly outFormat: 'jsonl' | 'parquet';
  readonly manifest?: string;
  readonly errors?: string;
  readonly failFast?: true;
  readonly progress: (typeof PROGRESS)[number];
  readonly server?: string;
  readonly workers?: string;
}

/** Says of a flag of version 1.0 what to write instead. */
export function namingReplaced(command: Command, replaced: Readonly<Record<string, string>>): Command {
  const reworded = (error: string) =>
    error.replace(/(?<=unknown option '(.*)')$/m, (_, flag) =>
      replaced[flag] ? `: use ${replaced[flag]}` : '',
    );
  return command.configureOutput({ outputError: (text, write) => write(reworded(text)) });
}

const option = (flags: string, description: string): Option => new Option(flags, description);

export const CHUNK_FLAGS: readonly Option[] = [
  option('--chunker <name>', 'the chunker (default: the one that chooses another by file name and content)'),
  option('--pipeline <file or name>', 'the steps in a JSON file, or a stored pipeline').conflicts('chunker'),
  ...PRESET_FLAGS,
  option('--group <by>', 'one line per chunk, or per document')
    .choices(['chunk', 'document'])
    .default('chunk'),
  option('--format <format>', 'the format of the files; auto decides by file name')
    .choices(['auto', ...FORMATS])
    .default('auto'),
  option('--id-field <name>', 'the member of a line or row that holds the document id'),
  option('--text-field <name>', 'the member that holds the text'),
  option('--title-field <name>', 'the member that holds the title'),
  option(
    '--metadata-field <name>',
    "a member that becomes metadata; '*' means all members without another use (repeatable)",
  ).argParser((name: string, before?: readonly string[]) => [...(before ?? []), name]),
  option(
    '--root <folder>',
    'folder that document ids, which are file paths, are relative to (default: the current one)',
  ),
  option('--no-ignore', 'include files that .gitignore excludes'),
  option('--out <folder>', 'write part files and a manifest to this folder instead of standard output'),
  option('--out-format <format>', 'the format of the part files of --out')
    .choices(['jsonl', 'parquet'])
    .default('jsonl'),
  option('--resume', 'resume a stopped run into the same --out'),
  option('--since <path>', 'write only the changes since an earlier --out folder or --manifest file'),
  option('--manifest <file>', 'write the chunk ids of each document, for a later --since').conflicts('out'),
  option('--errors <file>', 'write a line of JSON for each failed document'),
  option('--fail-fast', 'stop at the first document that fails'),
  option('--progress <kind>', 'how progress is shown on standard error').choices(PROGRESS).default('auto'),
  option('--server <url>', 'chunk on a running service; its key is taken from the variable CHUNKSMITH_KEY'),
  option('--workers <number>', 'worker threads (default: number of cores)'),
];

interface OptionSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
  readonly properties?: ObjectSchema['properties'];
  readonly description?: string;
  readonly default?: unknown;
}

/** Maximum characters of choices that the flag itself lists. Longer choices are in the flag's description. */
const SHORT = 24;

/**
 * Creates a flag for each option: `chunk_size` becomes `--chunk-size <integer>`, and `split_level` of `markdown`
 * becomes `--markdown.split-level <integer>`. A list is a repeated flag, or JSON.
 */
export function optionFlags(schema: ObjectSchema, prefix = ''): Option[] {
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const flag = `${prefix}${name.replaceAll('_', '-')}`;
    const nested = nestedIn(property);
    return nested === undefined ? [flagOf(flag, property)] : optionFlags(nested, `${flag}.`);
  });
}

function nestedIn({ type, properties }: OptionSchema): ObjectSchema | undefined {
  return type === 'object' && properties !== undefined ? { type, properties } : undefined;
}

function flagOf(flag: string, schema: OptionSchema): Option {
  const option = new Option(`--${flag} <${kindOf(schema)}>`, descriptionOf(schema));
  return option.argParser((text: string, before?: readonly string[]) => [...(before ?? []), text]);
}

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
 * Rewrites a problem so that it names the flag instead of the option.
 *
 * @param problem begins with the name of the option, if the problem is about an option
 */
export function problemOfFlag(problem: string, { properties }: ObjectSchema): string {
  const [path = ''] = /^[a-z]\w*(\.[a-z]\w*)*(?=[:[])/.exec(problem) ?? [];
  const [name = ''] = path.split('.');
  if (!Object.hasOwn(properties, name)) return problem;
  return `--${path.replaceAll('_', '-')}${problem.slice(path.length)}`;
}

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

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
