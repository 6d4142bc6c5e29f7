import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { ServiceError } from '../../../core/errors.ts';
import code from './code.json' with { type: 'json' };
import docs from './docs.json' with { type: 'json' };
import prose from './prose.json' with { type: 'json' };
import reports from './reports.json' with { type: 'json' };

/** Steps that come with the service under a name. */
export interface Preset {
  readonly name: string;
  /** Changes with the steps, as then the ids and vectors of chunks do. */
  readonly version: number;
  readonly summary: string;
  readonly steps: readonly PipelineStep[];
}

export const PRESETS: readonly Preset[] = [prose, docs, code, reports].map(({ steps, ...about }) => ({
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

/** What changes the steps of a preset. */
export const overrideSchema = {
  type: 'object',
  additionalProperties: { anyOf: [{ type: 'object' }, { type: 'null' }] },
  description:
    'Changes to the steps of the preset, by the names of their plugins: `{"auto": {"chunk_size": 400}, "embeddings": null}`. Options are replaced, options within an object such as `code` one by one; null removes an option, or a step after the chunker.',
} as const;

/** The members of a request that name a preset instead of steps. */
export const presetMembers = {
  preset: {
    type: 'string',
    excludes: ['steps', 'pipeline', 'chunker'],
    description: `Name of a preset, instead of steps: ${PRESET_NAMES.join(', ')}.`,
  },
  override: overrideSchema,
} as const;

/** A preset as requests name it, not checked beyond the schema of `presetMembers`. */
export interface PresetUse {
  readonly preset?: string | undefined;
  readonly override?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | undefined;
}
