import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import { type PluginEntry, type Registry, whyAbsent } from '../../../core/hosting/registry.ts';
import { pluginOf } from '../read/pipeline.ts';
import { type NamedOptions, Refusals } from '../validation/refusals.ts';
import { suggest } from '../validation/suggest.ts';
import code from './code.json' with { type: 'json' };
import docs from './docs.json' with { type: 'json' };
import prose from './prose.json' with { type: 'json' };
import reports from './reports.json' with { type: 'json' };

/** Steps that come with the service under a name. */
export interface Preset {
  readonly name: string;
  /** Changes whenever the steps change, because the ids and vectors of chunks then change too. */
  readonly version: number;
  readonly summary: string;
  readonly steps: readonly PipelineStep[];
}

const PRESETS: readonly Preset[] = [prose, docs, code, reports].map(({ steps, ...about }) => ({
  ...about,
  steps: (steps as readonly Partial<PipelineStep>[]).map(({ type = 'chunk', config = {}, ...named }) => ({
    type,
    chunker: named.chunker ?? null,
    refinery: named.refinery ?? null,
    config,
  })),
}));

export const PRESET_NAMES: readonly string[] = PRESETS.map(({ name }) => name);

/** @throws ServiceError `preset_not_found` */
export function requirePreset(name: string): Preset {
  const preset = PRESETS.find((one) => one.name === name);
  if (preset !== undefined) return preset;
  throw new ServiceError('preset_not_found', { name: JSON.stringify(name), known: PRESET_NAMES.join(', ') });
}

export const overrideSchema = {
  type: 'object',
  additionalProperties: { anyOf: [{ type: 'object' }, { type: 'null' }] },
  description:
    'Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker.',
} as const;

export const presetMembers = {
  preset: {
    type: 'string',
    excludes: ['steps', 'pipeline', 'chunker'],
    description: `Name of a preset, instead of steps: ${PRESET_NAMES.join(', ')}.`,
  },
  override: overrideSchema,
} as const;

/** A preset in a request, checked only against the schema of `presetMembers`. */
export interface PresetUse {
  readonly preset?: string | undefined;
  readonly override?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | undefined;
}

interface PresetsOptions {
  readonly registry: Registry;
  readonly checks: {
    step(step: PipelineStep, place: string, optionPlace: string): Omit<NamedOptions, 'place'>;
  };
  /** Finds the plugins that open a tokenizer or model of this name. */
  readonly openers: { owners(kind: 'tokenizer' | 'embedding', name: string): readonly PluginEntry[] };
}

export class Presets {
  readonly #given: PresetsOptions;

  constructor(given: PresetsOptions) {
    this.#given = given;
  }

  /** All presets, each with the reasons why it cannot run here, and their remedies. */
  list(): (Preset & { readonly missing: readonly string[] })[] {
    return PRESETS.map((preset) => ({ ...preset, missing: this.#missing(preset.steps, {}) }));
  }

  /**
   * The steps of the preset that a request names; undefined if the request names no preset.
   *
   * @param place prefix of member names in problems
   * @param mayLack whether plugins may be missing, as in a pipeline stored for another server
   * @throws ServiceError `invalid_parameters` if there is no such preset or the override is invalid;
   *   `missing_capability`
   */
  stepsOf(
    { preset, override = {} }: PresetUse,
    place = '',
    mayLack = false,
  ): readonly PipelineStep[] | undefined {
    if (preset === undefined) {
      if (Object.keys(override).length === 0) return undefined;
      throw invalid(`${place}override: allowed only with preset`);
    }
    const found = PRESETS.find(({ name }) => name === preset);
    if (found === undefined)
      throw invalid(`${place}preset: unknown preset ${quoted(preset)}${nearest(preset, PRESET_NAMES)}`);
    const steps = overridden(found.steps, override, `${place}override`);
    const reasons = mayLack ? [] : this.#missing(steps, override);
    if (reasons.length > 0)
      throw new ServiceError('missing_capability', {
        kind: 'preset',
        name: preset,
        reasons: reasons.join('; '),
      });
    const { registry, checks } = this.#given;
    const changed = steps.filter((step) => nameOf(step) in override && pluginOf(registry, step).entry);
    const refusals = new Refusals();
    for (const step of changed) {
      const own = `${place}override.${nameOf(step)}.`;
      const checked = refusals.collect(() => checks.step(step, 'steps', own));
      if (checked !== undefined) refusals.note({ ...checked, place: own });
    }
    if (refusals.problems.length > 0) throw refusals.error();
    return steps;
  }

  #missing(steps: readonly PipelineStep[], override: Override): string[] {
    return [...new Set(steps.flatMap((step) => this.#missingFor(step, override[nameOf(step)] ?? {})))];
  }

  /** What a step lacks here. Tokenizers and models that the request chooses are checked elsewhere, as options. */
  #missingFor(step: PipelineStep, change: Options): readonly string[] {
    const { registry, openers } = this.#given;
    const { kind, name, entry } = pluginOf(registry, step);
    if (entry === undefined) return [whyAbsent(`${kind}/${name}`, registry.broken)];
    const { uses = [], chooses = [], options } = entry.manifest;
    const known = options?.properties ?? {};
    // An option that configures another plugin exists only if that plugin can run.
    const unready = chooses.filter((id) =>
      Object.keys(step.config).some((option) => id.endsWith(`/${option}`) && !(option in known)),
    );
    const opened = [
      ['tokenizer', step.config.tokenizer, 'tokenizer' in change],
      [
        'embedding',
        defaultOf(known.embedding_model),
        !uses.includes('embedding') || 'embedding_model' in change,
      ],
    ] as const;
    return [
      ...entry.missing,
      ...unready.flatMap(
        (id) => registry.all.find((one) => one.id === id)?.missing ?? whyAbsent(id, registry.broken),
      ),
      ...opened.flatMap(([kind, name, isChosen]) =>
        isChosen || typeof name !== 'string' ? [] : unopened(kind, name, openers.owners(kind, name)),
      ),
    ];
  }
}

type Options = Readonly<Record<string, unknown>>;
type Override = NonNullable<PresetUse['override']>;

const nameOf = ({ chunker, refinery }: PipelineStep) => (chunker ?? refinery) as string;
const defaultOf = (schema: object | undefined) =>
  (schema as { readonly default?: unknown } | undefined)?.default;
const quoted = (name: string) => JSON.stringify(name.slice(0, 100));

/** The reasons why no plugin opens a tokenizer or model of this name; empty if a plugin does. */
function unopened(kind: 'tokenizer' | 'embedding', name: string, owners: readonly PluginEntry[]): string[] {
  if (owners.length === 0)
    return [
      `it uses ${name}, which no ${kind} plugin here opens: add one to --plugins or restore its folder`,
    ];
  return owners.every(({ missing }) => missing.length > 0) ? owners.flatMap(({ missing }) => missing) : [];
}

function nearest(name: string, known: readonly string[]): string {
  const near = suggest(name, known);
  return near === undefined ? `, valid names: ${known.join(', ')}` : `, did you mean ${quoted(near)}?`;
}

/** Path of a step's options in a request: in `override` if the request overrides the step, else in `steps`. */
export function placeOfOptions(step: PipelineStep, index: number, { override = {} }: PresetUse): string {
  return Object.hasOwn(override, nameOf(step) ?? '')
    ? `override.${nameOf(step)}.`
    : `steps[${index}].config.`;
}

/** @throws ServiceError `invalid_parameters` with all problems */
function overridden(steps: readonly PipelineStep[], override: Override, place: string): PipelineStep[] {
  const changed = new Map(steps.map((step) => [nameOf(step), step]));
  const problems = Object.entries(override).flatMap(([name, change]) => {
    const step = steps.find((one) => nameOf(one) === name);
    if (step === undefined)
      return `${place}.${name.slice(0, 100)}: unknown step${nearest(name, steps.map(nameOf))}`;
    if (change === null && step.type === 'chunk') return `${place}.${name}: the chunker cannot be removed`;
    if (change === null) changed.delete(name);
    else changed.set(name, { ...step, config: merged(step.config, change) });
    return [];
  });
  if (problems.length > 0) throw invalid(problems);
  return [...changed.values()];
}

/** Merges changes into options: null removes an option. @param depth levels of nested objects to merge */
function merged(options: Options, changes: Options, depth = 1): Options {
  const result = new Map(Object.entries(options));
  for (const [name, value] of Object.entries(changes)) {
    const before = result.get(name);
    // A null for an unset option is checked like any other value.
    if (value === null && before !== undefined) result.delete(name);
    else
      result.set(name, depth > 0 && isOptions(value) && isOptions(before) ? merged(before, value, 0) : value);
  }
  return Object.fromEntries(result);
}

function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
