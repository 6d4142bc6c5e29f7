import { basename, dirname } from 'node:path';
import {
  KINDS,
  type Manifest,
  manifestSchema,
  NO_OPTIONS,
  type ObjectSchema,
} from '../../../core/contracts/manifest.ts';
import { reasonOf } from '../../../core/errors.ts';
import { suggest } from '../../engine/validation/suggest.ts';
import { checkSchema, createCheck, KEYWORDS } from '../../engine/validation/validator.ts';
import { describeImportError, withLine } from './import-factory.ts';
import { importModule } from './modules.ts';
import { malformed } from './plugin-folders.ts';

const string = { type: 'string' } as const;

/** Members of a request besides the plugin's options. The first member is required. */
const MEMBERS: Readonly<Record<'chunker' | 'refinery', Readonly<Record<string, object>>>> = {
  chunker: {
    text: { anyOf: [string, { type: 'array', items: string }] },
    tokenizer: string,
    offset_unit: string,
  },
  refinery: { chunks: { type: 'array' }, tokenizer: string },
};

/**
 * Checks the example in a manifest: a request for chunkers and refineries, options for sinks.
 *
 * @param isValid the compiled check of the plugin's options, which also fills in defaults
 * @returns all problems; empty if the example is valid
 */
function checkExample(manifest: Manifest, isValid: (options: object) => boolean): readonly string[] {
  const { kind, example } = manifest;
  if (example === undefined) return [];
  const { options = NO_OPTIONS } = manifest;
  if (kind === 'sink')
    return createCheck({ ...options, additionalProperties: false })(structuredClone(example), PLACE);
  if (kind !== 'chunker' && kind !== 'refinery') return [];
  const members = MEMBERS[kind];
  const given = structuredClone(example) as Record<string, unknown>;
  const own = Object.entries(given).filter(([name]) => name in options.properties);
  const isKnown = Object.keys(given).every((name) => name in members || name in options.properties);
  if (isKnown && isBody(given) && isValid(Object.fromEntries(own))) return [];
  // Compiles this schema only for an invalid example, because compiling would slow down every start.
  const required = [Object.keys(members)[0] as string, ...(options.required ?? [])];
  const properties = { ...members, ...options.properties };
  return createCheck({ ...options, required, properties, additionalProperties: false })(given, PLACE);
}

const PLACE = 'manifest.example.';

/** Whether a request has a text or chunks. Chunks are checked only when the example runs. */
function isBody({ text, chunks }: Record<string, unknown>): boolean {
  return typeof text === 'string' || Array.isArray(text) || Array.isArray(chunks);
}

const checkMembers = createCheck(manifestSchema);

/**
 * Imports a manifest and checks it.
 *
 * @param isNamed whether the plugin's folder must have the name of the plugin
 * @throws ServiceError `malformed_plugin`
 */
export async function readManifest(file: string, isNamed: boolean): Promise<Manifest> {
  const manifest = await importManifest(file);
  refuse(file, checkMembers(manifest, 'manifest.'));
  if (isNamed) checkName(file, manifest);
  checkUses(file, manifest);
  checkGuard(file, manifest);
  checkOptionNames(file, manifest);
  const isValid = compileOptions(file, manifest);
  refuse(file, checkExample(manifest, isValid));
  return manifest;
}

async function importManifest(file: string): Promise<Manifest> {
  try {
    return structuredClone((await importModule(file)).default) as Manifest;
  } catch (error) {
    const folder = dirname(file);
    const shown = withLine(describeImportError(error), error, folder);
    throw malformed(file, withLine(reasonOf(error), error, folder), { cause: error, shown });
  }
}

function refuse(file: string, problems: readonly string[]): void {
  if (problems.length > 0) throw malformed(file, problems.map(inWords).join('; '));
}

function inWords(problem: string): string {
  const { maxLength } = manifestSchema.properties.name;
  const expected = `expected lower-case letters, digits and single hyphens between them, at most ${maxLength} characters`;
  return problem.replace(/^(manifest\.name: )expected a string[^,]*/, (_, place: string) => place + expected);
}

function checkName(file: string, { name }: Manifest): void {
  const folder = basename(dirname(file));
  if (name !== folder) throw malformed(file, `its name is "${name}", but its folder is "${folder}"`);
}

const USE = new RegExp(`^(${KINDS.join('|')})(/[a-z0-9-]+)?$`);

function checkUses(file: string, { uses = [] }: Manifest): void {
  for (const [index, use] of uses.entries()) {
    if (USE.test(use)) continue;
    const [kind = '', ...name] = use.split('/');
    const near = suggest(kind, KINDS);
    const remedy = near === undefined ? '' : `did you mean "${[near, ...name].join('/')}"? `;
    const expected = `expected one of ${KINDS.join(', ')}, or a single plugin such as tokenizer/character`;
    throw malformed(file, `manifest.uses[${index}]: ${remedy}${expected}, got "${use}"`);
  }
}

/** Refuses members that contradict `guarded`: the thread of a guarded reader has no plugins but readers. */
function checkGuard(file: string, { kind, guarded, light, uses = [] }: Manifest): void {
  if (!guarded) return;
  if (kind !== 'reader') throw malformed(file, 'guarded: only a reader can be; remove it');
  if (light) throw malformed(file, 'guarded: what is light runs on the event loop; remove one of both');
  const other = uses.find((use) => !use.startsWith('reader/'));
  if (other !== undefined)
    throw malformed(file, `guarded: it can use single readers only; remove ${other} from its uses`);
}

const TAKEN = [
  'text',
  'documents',
  'chunks',
  'include',
  'namespace',
  'file',
  'document',
  'reader',
  'reader_options',
];

function checkOptionNames(file: string, { kind, options }: Manifest): void {
  if (kind !== 'chunker' && kind !== 'refinery') return;
  const taken = TAKEN.find((name) => Object.hasOwn(options?.properties ?? {}, name));
  if (taken === undefined) return;
  throw malformed(
    file,
    `options.properties.${taken}: every request may have this member; choose another name`,
  );
}

/** Compiles the check of a plugin's options. Without a schema of options, the check accepts none. */
function compileOptions(file: string, { options }: Manifest): (options: object) => boolean {
  try {
    return options === undefined ? () => true : checkSchema(options);
  } catch (error) {
    throw malformed(file, problemIn(options as ObjectSchema) ?? `options: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

const UNKNOWN_KEYWORD = /unknown keyword: "(.+)"$/;

/** The problem in the schema of an option; undefined if the schemas of all options are valid. */
function problemIn({ properties }: ObjectSchema): string | undefined {
  for (const [name, property] of Object.entries(properties)) {
    try {
      checkSchema({ type: 'object', properties: { [name]: property as object } });
    } catch (error) {
      const [, keyword] = UNKNOWN_KEYWORD.exec(reasonOf(error)) ?? [];
      if (keyword === undefined) return `options.properties.${name}: ${reasonOf(error)}`;
      const near = suggest(keyword, KEYWORDS);
      const remedy = near === undefined ? 'remove it' : `did you mean "${near}"?`;
      return `options.properties.${name}: unknown keyword "${keyword}", ${remedy}`;
    }
  }
  return undefined;
}
