import { OFFSET_UNITS } from '../../../core/contracts/chunk.ts';
import type { Kind, Manifest, ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import type { Config } from '../../config/config.ts';
import { MAX_ENTRIES, MAX_ENTRY_CHARACTERS } from '../limits.ts';
import { evaluateRequest } from '../operations/evaluation/schemas.ts';
import { overrideSchema } from '../presets/presets.ts';
import type { OptionSchema } from '../validation/validator.ts';
import {
  chunksOfMany,
  chunksOfOne,
  embedRequest,
  fieldMembers,
  longTexts,
  SOURCES,
  type Source,
  tokenizeRequest,
} from './document-schemas.ts';

interface SchemaOptions {
  readonly registry: Registry;
  readonly config: Pick<Config, 'idNamespace'>;
}

/** Texts for routes whose answer is always a list. */
const texts = { ...SOURCES.text.text, description: 'A text, or a list of texts.' } as const;

const offsetUnit = {
  enum: OFFSET_UNITS,
  default: 'code_point',
  description:
    'Unit of start_index and end_index: code points (Python), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust).',
} as const;

const CHUNKS = { one: chunksOfOne, many: chunksOfMany, any: { anyOf: [chunksOfOne, chunksOfMany] } };

const NO_OPTIONS: ObjectSchema = { type: 'object', properties: {}, additionalProperties: false };

/** Without a default, so that the unit may be set in an override instead. */
const { default: _, ...presetUnit } = offsetUnit;

/** The members of requests that execute a preset, in addition to those of requests that execute a pipeline. */
export const presetOptions: ObjectSchema = {
  ...NO_OPTIONS,
  properties: { override: overrideSchema, offset_unit: presetUnit },
};

const executeOptions = (preset: string | undefined) => (preset === undefined ? NO_OPTIONS : presetOptions);

export type RequestSchemas = ReturnType<typeof createRequestSchemas>;

/** Schemas of requests: the members common to plugins of a kind, and the plugin's own options. */
export function createRequestSchemas({ registry, config }: SchemaOptions) {
  const tokenizer = tokenizerOption(registry);

  /**
   * The options of a pipeline's step: a request without its text or chunks. The options that the manifest lists as
   * `required` are required unless they have a default.
   */
  function step({ kind, options, uses }: Manifest): ObjectSchema {
    const { properties: own = {}, required = [] } = options ?? {};
    const hasDefault = (name: string) => 'default' in (own[name] as object);
    return {
      type: 'object',
      required: required.filter((name) => !hasDefault(name)),
      properties: {
        ...usedMembers(uses, tokenizer),
        ...limitedMembers(own),
        ...(kind === 'chunker' && { offset_unit: offsetUnit }),
      },
      additionalProperties: false,
    };
  }

  function withSource(source: Source, { required = [], properties, ...rest }: ObjectSchema): ObjectSchema {
    const fields = fieldMembers(source, config.idNamespace);
    if (source === 'apart') return { ...rest, required, properties: { ...properties, ...fields } };
    // `{}` accepts anything: the member that is not the source is ignored.
    const members = { text: {}, documents: {}, ...SOURCES[source], ...properties, ...fields };
    return { ...rest, required: [source, ...required], properties: members };
  }

  const model = defaultNameOf(registry, 'embedding');
  return {
    step,
    embed: embedRequest(texts, model),
    evaluate: evaluateRequest(model, offsetUnit, tokenizer),
    tokenize: tokenizeRequest(texts, tokenizer, offsetUnit),
    chunk: (manifest: Manifest, source: Source) => withSource(source, step(manifest)),
    /** The whole request that executes a pipeline or a preset; without the inputs if `source` is `apart`. */
    execute: (source: Source, preset?: string) => withSource(source, executeOptions(preset)),
    /** The members of `execute` that are the same for all pipelines. */
    fields: fieldMembers('text', config.idNamespace),
    /**
     * The whole request of a refinery. `documents` is `any` only for the documentation. A check must know whether
     * the chunks are those of one document or of many, so that an error can name the bad chunk.
     */
    refine(manifest: Manifest, documents: keyof typeof CHUNKS): ObjectSchema {
      const { required = [], properties, ...rest } = step(manifest);
      const description = 'Chunks as a chunker returns them; further fields are returned unchanged.';
      const chunks = { ...CHUNKS[documents], description };
      return { ...rest, required: ['chunks', ...required], properties: { chunks, ...properties } };
    },
  };
}

/** The default tokenizer or model of requests; `undefined` if no plugin has a default. */
export function defaultNameOf(registry: Registry, kind: Kind): string | undefined {
  return registry.ofKind(kind).find(({ manifest }) => manifest.default !== undefined)?.manifest.default;
}

function tokenizerOption(registry: Registry) {
  const name = defaultNameOf(registry, 'tokenizer');
  const ready = registry.ofKind('tokenizer').filter(({ missing }) => missing.length === 0);
  const named = ready.map(({ manifest }) => manifest.models ?? []);
  const names = named.flatMap((models) => firstOf(models.filter((model) => !model.endsWith('*'))));
  const others = named.flat().includes('*') ? ['the name of an installed tokenizer from the hub'] : [];
  return {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    ...(name === undefined ? {} : { default: name }),
    description: `Tokenizer that defines a token: ${[...names, ...others].join(', ')}.`,
  };
}

/** The members of a request for what its plugin uses. With a model, the default tokenizer is the model's own. */
function usedMembers(uses: Manifest['uses'] = [], tokenizer: ReturnType<typeof tokenizerOption>) {
  const isCounting = uses.includes('tokenizer');
  if (!uses.includes('embedding')) return isCounting ? { tokenizer } : {};
  if (!isCounting) return { long_texts: longTexts };
  const description = `${tokenizer.description} null is that of the model, with a token for each character that its vocabulary lacks.`;
  const ownOrNamed = { ...tokenizer, type: ['string', 'null'], default: null, description } as const;
  return { tokenizer: ownOrNamed, long_texts: longTexts };
}

/** Maximum names of one plugin listed in the documentation of an option. */
const MAX_NAMES = 10;

/** The first names of a plugin. Plugins list their most useful names first. */
function firstOf(names: readonly string[]): string[] {
  const more = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more names of the same kind`] : [])];
}

/**
 * Adds limits to the schema of a list of strings, or of a string allowed instead of such a list. For an object,
 * adds limits to each member. A list may always be as long as its default.
 */
function withLimits(schema: object): object {
  const { default: usual } = schema as { readonly default?: unknown };
  const maxItems = Math.max(MAX_ENTRIES, Array.isArray(usual) ? usual.length : 0);
  const isTextList = ({ type, items }: OptionSchema) => type === 'array' && items?.type === 'string';
  const limitText = (one: object) => ({ ...one, maxLength: MAX_ENTRY_CHARACTERS });
  const limit = (one: OptionSchema): object => {
    if (isTextList(one)) return { ...one, maxItems, items: limitText(one.items as object) };
    if (one.type === 'array' && isTextList(one.items ?? {}))
      return { ...one, maxItems, items: limit(one.items as OptionSchema) };
    return one.type === 'string' ? limitText(one) : one;
  };
  const { anyOf, properties } = schema as OptionSchema;
  if (properties !== undefined) return { ...schema, properties: limitedMembers(properties) };
  if (anyOf?.some(isTextList)) return { ...schema, anyOf: anyOf.map(limit) };
  return (schema as OptionSchema).type === 'array' ? limit(schema as OptionSchema) : schema;
}

function limitedMembers(members: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, withLimits(schema)]));
}
