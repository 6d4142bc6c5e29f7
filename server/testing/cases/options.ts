import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type Manifest, NO_OPTIONS } from '../../../core/contracts/manifest.ts';
import type { OptionSchema } from '../../engine/validation/validator.ts';
import type { Harness } from '../harness.ts';

type Options = Record<string, unknown>;
type Properties = Readonly<Record<string, OptionSchema>>;

const SMALL = 40;

function anyMembers(properties: Properties): fc.Arbitrary<Options> {
  const members = Object.entries(properties).map(([name, schema]) => [name, anyValue(schema)]);
  return fc.record(Object.fromEntries(members), { requiredKeys: [] });
}

/**
 * Generates valid options from a plugin's schema, and adds a tokenizer or model if the plugin uses one. Any
 * option may be missing. Numbers are mostly small, so that limits take effect. Strings are from the schema's
 * `default` and `examples`.
 */
export async function anyRequest(harness: Harness, manifest: Manifest): Promise<fc.Arbitrary<Options>> {
  const { options: { properties } = NO_OPTIONS, uses = [] } = manifest;
  const options = anyMembers(properties).map((given) => keepRules(given, properties, {}));
  if (uses.includes('embedding')) return options.map((given) => ({ ...defaultsOf(manifest), ...given }));
  if (!uses.includes('tokenizer')) return options;
  return fc
    .tuple(options, fc.constantFrom(...(await harness.tokenizerNames())))
    .map(([given, tokenizer]) => ({ ...given, tokenizer }));
}

export function defaultsOf({ options: { properties } = NO_OPTIONS }: Manifest): Options {
  const schemas = Object.entries(properties as Properties);
  const named = schemas.filter(([, schema]) => schema.default !== undefined);
  return Object.fromEntries(named.map(([name, schema]) => [name, schema.default]));
}

function anyValue(schema: OptionSchema): fc.Arbitrary<unknown> {
  const named = [...(schema.default === undefined ? [] : [schema.default]), ...(schema.examples ?? [])];
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const isText = [schema.type].flat().includes('string');
  if (isText && named.length > 0) return fc.constantFrom(...named);
  const made = anyMade(schema);
  if (named.length === 0) return made;
  return fc.oneof({ arbitrary: made, weight: 8 }, { arbitrary: fc.constantFrom(...named), weight: 1 });
}

function anyMade(schema: OptionSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(anyValue));
  const { type, minimum = 0, maximum = minimum + SMALL } = schema;
  if (typeof type === 'object') return fc.oneof(...type.map((one) => anyMade({ ...schema, type: one })));
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'integer':
      return fc.integer({ min: minimum, max: Math.min(maximum, minimum + SMALL) });
    case 'number':
      return anyNumber(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(anyValue(schema.items ?? {}), { maxLength: 4 });
    case 'object':
      return anyMembers(schema.properties ?? {});
    default:
      return fc.oneof(
        fc.constantFrom('.', '. ', '\n', 'a', '😀', '\ude00', ' '),
        fc.string({ minLength: 1, maxLength: Math.min(schema.maxLength ?? 3, 3) }),
      );
  }
}

function anyNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: OptionSchema) {
  const min = exclusiveMinimum ?? minimum ?? 0;
  return fc.double({
    min,
    max: exclusiveMaximum ?? maximum ?? min + SMALL,
    minExcluded: exclusiveMinimum !== undefined,
    maxExcluded: exclusiveMaximum !== undefined,
    noNaN: true,
  });
}

/**
 * Applies `excludes` and `lessThan` of the schema. If options exclude each other, keeps the first one.
 *
 * @param outer options of the enclosing object, to which `lessThan` may also refer
 */
function keepRules(options: Options, properties: Properties, outer: Options): Options {
  const bounds: Options = { ...outer };
  for (const [name, schema] of Object.entries(properties)) bounds[name] = options[name] ?? schema.default;
  for (const [name, { excludes = [], lessThan = '', properties: inner }] of Object.entries(properties)) {
    const value = options[name];
    if (value === undefined) continue;
    for (const other of excludes) delete options[other];
    const bound = bounds[lessThan];
    if (typeof value === 'number' && typeof bound === 'number') options[name] = Math.min(value, bound - 1);
    if (inner !== undefined) keepRules(value as Options, inner, bounds);
  }
  return options;
}

/** Whether some options have an effect only with certain values of other options. */
export function hasEffectiveWith({ options: { properties } = NO_OPTIONS }: Manifest): boolean {
  return Object.values(properties).some((schema) => 'effectiveWith' in schema);
}

/** Drops the options that have no effect because of the values of other options (`effectiveWith`). */
export function effectiveOptions(
  options: Options,
  { options: { properties } = NO_OPTIONS }: Manifest,
): Options {
  const schemas = properties as Properties;
  const isEffective = (name: string) =>
    Object.entries(schemas[name]?.effectiveWith ?? {}).every(([other, values]) => {
      const value = options[other] ?? schemas[other]?.default;
      return values.some((one) => isDeepStrictEqual(one, value));
    });
  return Object.fromEntries(Object.entries(options).filter(([name]) => isEffective(name)));
}
