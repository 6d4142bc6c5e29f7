import type { Manifest, ObjectSchema } from '../contracts/manifest.ts';

/**
 * The manifest with what the plugins between which it chooses have: their options, each under its plugin's name, their
 * fields and their reports. What it has itself comes first.
 */
export function withChoices(manifest: Manifest, chosen: readonly Manifest[]): Manifest {
  const { options = NO_OPTIONS, fields, reports, chosenDefaults = {} } = manifest;
  const theirs = chosen.map((one) => [one.name, optionsUnder(one, options, chosenDefaults[one.name])]);
  return {
    ...manifest,
    options: { ...options, properties: { ...options.properties, ...Object.fromEntries(theirs) } },
    fields: Object.assign({}, ...chosen.map((one) => one.fields), fields),
    reports: Object.assign({}, ...chosen.map((one) => one.reports), reports),
  };
}

const NO_OPTIONS: ObjectSchema = { type: 'object', properties: {} };

function optionsUnder(
  { kind, name, options = NO_OPTIONS }: Manifest,
  own: ObjectSchema,
  defaults: Readonly<Record<string, unknown>> = {},
): object {
  const others = Object.entries(options.properties).filter(([option]) => !(option in own.properties));
  const more = others.map(([option, schema]) => [
    option,
    option in defaults ? { ...schema, default: defaults[option] } : schema,
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(more),
    additionalProperties: false,
    default: {},
    description: `Further options of the ${kind} ${name}, where it is chosen.`,
  };
}
