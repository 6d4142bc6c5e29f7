import {
  type Catalogue,
  isEffective,
  LETTERS,
  MAX_SETTINGS,
  type Options,
  type Plugin,
  type Preset,
  type Setting,
  type Step,
} from './model.ts';

export function stepOf(plugin: Plugin): Step {
  const { text: _, documents: _documents, chunks: _chunks, ...options } = plugin.example ?? {};
  const isSize = (name: string) => name === 'chunk_size' || name === 'chunk_overlap';
  // Leaves out the sizes of the example: its text is short, so its chunks are tiny.
  const kept = Object.entries(options).filter(([name]) => !isSize(name) && name in plugin.options);
  const size = 'chunk_size' in plugin.options ? { chunk_size: 200 } : {};
  return { kind: plugin.kind, name: plugin.name, options: { ...Object.fromEntries(kept), ...size } };
}

export function replaceFirst([first, ...others]: readonly Step[], plugin: Plugin): readonly Step[] {
  const step = stepOf(plugin);
  const shared = ['chunk_size', 'tokenizer'].filter(
    (name) => name in plugin.options && name in (first?.options ?? {}),
  );
  const kept = shared.map((name) => [name, first?.options[name]]);
  return [{ ...step, options: { ...step.options, ...Object.fromEntries(kept) } }, ...others];
}

export function presetSteps({ steps }: Preset): readonly Step[] {
  return steps.map(({ type, chunker, refinery, config }) =>
    type === 'chunk'
      ? { kind: 'chunker', name: chunker ?? '', options: config }
      : { kind: 'refinery', name: refinery ?? '', options: config },
  );
}

export function presetOf(steps: readonly Step[], { presets }: Catalogue): Preset | undefined {
  return presets.find((preset) => JSON.stringify(presetSteps(preset)) === JSON.stringify(steps));
}

export interface SizeUnit {
  readonly name: string;
  readonly short: string;
}

/** The unit of a setting's sizes, given by its `tokenizer` option or else by the chunker's default tokenizer. */
export function unitOf({ steps }: Setting, catalogue: Catalogue | undefined): SizeUnit {
  const [given] = steps;
  const stored = catalogue?.pipelines.find(({ id }) => given?.kind === 'pipeline' && id === given.name);
  const first = stored?.config.steps[0];
  const step: Step | undefined =
    first === undefined ? given : { kind: 'chunker', name: first.chunker ?? '', options: first.config };
  const plugin = step && catalogue && pluginOf(step, catalogue);
  const tokenizer = step?.options.tokenizer ?? plugin?.options.tokenizer?.default;
  if (typeof tokenizer !== 'string') return { name: 'tokens', short: 'tok.' };
  const counted = PLAIN_UNITS[tokenizer];
  return counted ?? { name: `tokens of ${tokenizer}`, short: 'tok.' };
}

const PLAIN_UNITS: Readonly<Record<string, SizeUnit>> = {
  character: { name: 'characters', short: 'char.' },
  byte: { name: 'bytes', short: 'bytes' },
  word: { name: 'words', short: 'words' },
  row: { name: 'rows', short: 'rows' },
};

export function firstSettings({ plugins, presets }: Catalogue): readonly Setting[] {
  const chunkers = plugins.filter(({ kind, missing }) => kind === 'chunker' && missing.length === 0);
  const general = chunkers.filter(({ options }) => 'chunk_overlap' in options);
  const ready = presets.filter(({ missing }) => missing.length === 0).slice(0, 1);
  const plain = [...general, ...chunkers].map((plugin) => [stepOf(plugin)]);
  const chosen = [...ready.map(presetSteps), ...plain].slice(0, 2);
  return relettered(chosen.map((steps) => ({ id: '', steps })));
}

export function withCopy(settings: readonly Setting[]): readonly Setting[] {
  const last = settings.at(-1);
  if (last === undefined || settings.length >= MAX_SETTINGS) return settings;
  return relettered([...settings, last]);
}

export function without(settings: readonly Setting[], id: string): readonly Setting[] {
  return relettered(settings.filter((setting) => setting.id !== id));
}

function relettered(settings: readonly Setting[]): readonly Setting[] {
  return settings.map(({ steps }, index) => ({ id: LETTERS[index] as string, steps }));
}

export function withSteps(
  settings: readonly Setting[],
  id: string,
  steps: readonly Step[],
): readonly Setting[] {
  return settings.map((setting) => (setting.id === id ? { id, steps } : setting));
}

export function withOption(
  steps: readonly Step[],
  index: number,
  name: string,
  value: unknown,
): readonly Step[] {
  return steps.map((step, at) => {
    if (at !== index) return step;
    const { [name]: _, ...others } = step.options;
    return { ...step, options: value === undefined ? others : { ...others, [name]: value } };
  });
}

export function pluginOf({ kind, name }: Step, { plugins }: Catalogue): Plugin | undefined {
  return plugins.find((plugin) => plugin.kind === kind && plugin.name === name);
}

/** The options to send: leaves out options that have no effect with the values of the other options. */
export function sentOptions(step: Step, catalogue: Catalogue): Options {
  const plugin = pluginOf(step, catalogue);
  if (plugin === undefined) return step.options;
  const sent = Object.entries(step.options).filter(([name]) => {
    const schema = plugin.options[name];
    return schema === undefined || isEffective(schema, plugin.options, step.options);
  });
  return Object.fromEntries(sent);
}

export function pathOf({ kind, name }: Step): string {
  if (kind === 'pipeline') return `v1/pipelines/${encodeURIComponent(name)}/execute`;
  return `v1/${kind === 'chunker' ? 'chunk' : 'refine'}/${name}`;
}

export function pipelineSteps(steps: readonly Step[]): object[] {
  return steps.map(({ kind, name, options }) =>
    kind === 'chunker'
      ? { type: 'chunk', chunker: name, config: options }
      : { type: 'refine', refinery: name, config: options },
  );
}
