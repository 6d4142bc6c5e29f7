import { Option } from 'commander';
import { PRESET_NAMES } from '../engine/presets/presets.ts';
import { UsageError } from './errors.ts';

export interface PresetFlags {
  readonly preset?: string;
  readonly set?: readonly string[];
  readonly without?: readonly string[];
}

const flag = (flags: string, description: string) =>
  new Option(flags, description).conflicts(['chunker', 'pipeline']);

const repeatable = (flags: string, description: string) =>
  flag(flags, `${description} (repeatable)`).argParser((text: string, before?: readonly string[]) => [
    ...(before ?? []),
    text,
  ]);

export const PRESET_FLAGS: readonly Option[] = [
  flag('--preset <name>', `the steps of a preset: ${PRESET_NAMES.join(', ')}`),
  repeatable(
    '--set <step.option=value>',
    'an option of a step of the preset, such as context.template={title}; a value may be JSON',
  ),
  repeatable('--without <step>', 'leave out a step of the preset, such as embeddings'),
];

interface NamedPreset {
  readonly preset?: string;
  readonly override?: Record<string, Record<string, unknown> | null>;
}

/** The preset that the flags choose and their changes to it; empty without these flags. @throws UsageError */
export function presetOf({ preset, set = [], without = [] }: PresetFlags): NamedPreset {
  if (preset === undefined) {
    const [flag] = [...set.map(() => '--set'), ...without.map(() => '--without')];
    if (flag !== undefined) throw new UsageError(`${flag}: changes a preset; name one with --preset`);
    return {};
  }
  const override: NonNullable<NamedPreset['override']> = Object.create(null);
  for (const one of set) {
    const [, step, option, inner, value] = /^([^.=]+)\.([^.=]+)(?:\.([^.=]+))?=(.*)$/s.exec(one) ?? [];
    if (step === undefined || option === undefined || value === undefined)
      throw new UsageError(
        `--set ${one}: expected <step>.<option>=<value>, such as context.template={title}`,
      );
    const options = override[step] ?? {};
    const before = options[option] as object | undefined;
    options[option] = inner === undefined ? parsed(value) : { ...before, [inner]: parsed(value) };
    override[step] = options;
  }
  for (const step of without) {
    if (step in override) throw new UsageError(`--without ${step}: its options are changed by --set`);
    override[step] = null;
  }
  return { preset, ...(set.length + without.length > 0 && { override }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function problemOfPreset(problem: string, { without = [] }: PresetFlags): string {
  const [, step = ''] = /^override\.([^.:]+):/.exec(problem) ?? [];
  const flag = without.includes(step) ? '--without' : '--set';
  return problem.replace(/^override\./, `${flag} `).replace(/^preset:/, '--preset:');
}
