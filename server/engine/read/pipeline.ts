import type { Kind } from '../../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid } from '../../../core/errors.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import type { Refusals } from '../validation/refusals.ts';
import { suggest } from '../validation/suggest.ts';

const nameOrNull = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const;

export const stepSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['chunk', 'refine'], description: 'Kind of the step.' },
    chunker: { ...nameOrNull, description: 'Name of the chunker of a chunk step.' },
    refinery: { ...nameOrNull, description: 'Name of the refinery of a refine step.' },
    config: {
      type: 'object',
      additionalProperties: true,
      description: "Parameters of the step: those of the plugin's own endpoint, except text and chunks.",
    },
  },
  additionalProperties: false,
} as const;

/**
 * Refuses steps that cannot be executed in this order.
 *
 * @param place name of the steps in the message
 * @throws ServiceError `invalid_parameters` with all problems
 */
export function checkOrder(steps: readonly PipelineStep[], place = 'steps'): void {
  const problems: string[] = [];
  if (steps.length === 0)
    problems.push(`${place}: the pipeline has no steps; add at least one chunk step with PUT`);
  steps.forEach(({ type, chunker, refinery }, index) => {
    if (type === 'chunk' && !chunker)
      problems.push(`${place}[${index}].chunker: missing, expected the name of a chunker`);
    if (type === 'refine' && !refinery)
      problems.push(`${place}[${index}].refinery: missing, expected the name of a refinery`);
  });
  const firstChunk = steps.findIndex(({ type }) => type === 'chunk');
  const firstRefine = steps.findIndex(({ type }) => type === 'refine');
  if (firstRefine !== -1 && (firstChunk === -1 || firstRefine < firstChunk)) {
    problems.push(`${place}[${firstRefine}]: a refine step needs chunks; put a chunk step before it`);
  }
  if (problems.length > 0) throw invalid(problems);
}

export interface StepPlugin {
  readonly kind: 'chunker' | 'refinery';
  /** The plugin's exact name; the name in the step if no such plugin exists; empty if the step has no name. */
  readonly name: string;
  readonly entry: PluginEntry | undefined;
}

/**
 * Finds the plugin of a step. Names are case-insensitive and may end with the kind, as in other services: `Token`,
 * `TokenChunker` and `token_chunker` are `token`.
 */
export function pluginOf(registry: Registry, { type, chunker, refinery }: PipelineStep): StepPlugin {
  const kind = type === 'chunk' ? 'chunker' : 'refinery';
  const given = (type === 'chunk' ? chunker : refinery) ?? '';
  const entry = spellings(kind, given)
    .map((name) => registry.find(kind, name))
    .find((found) => found !== undefined);
  return { kind, name: entry?.manifest.name ?? given, entry };
}

function spellings(kind: Kind, name: string): string[] {
  const separated = name.replace(/([a-z0-9])(?=[A-Z])/g, '$1-').replaceAll('_', '-');
  const lower = [name, separated].map((one) => one.toLowerCase());
  const bare = lower.filter((one) => one.endsWith(kind)).map((one) => one.slice(0, -kind.length));
  return [name, ...lower, ...bare, ...bare.map((one) => one.replace(/-$/, ''))];
}

export type MissingPlugins = 'allowed' | 'optional' | 'refused';

interface StepRules {
  readonly registry: Registry;
  readonly checks: { step(step: PipelineStep, place: string, options: string): unknown };
}

export interface StepRule {
  /** Name of the step in messages: `steps[1]`. */
  readonly place: string;
  /** Place of the step's options in messages; by default the step's own `config`. */
  readonly options?: string | undefined;
  /** The rule for missing plugins. If missing plugins are allowed, their configuration is not checked. */
  readonly missing: MissingPlugins;
}

/**
 * Checks a step of a pipeline to be stored: its plugin must exist and accept its configuration. Notes the names
 * in the configuration for look-up, unless plugins may be missing: the names may then exist only on another
 * server.
 *
 * @param refusals receives the problems and the noted names
 * @returns the step with the plugin's exact name
 */
export function checkStep(
  step: PipelineStep,
  { place, missing, options = `${place}.config.` }: StepRule,
  { registry, checks }: StepRules,
  refusals: Refusals,
): PipelineStep {
  const plugin = pluginOf(registry, step);
  const { kind, name, entry } = plugin;
  if (entry === undefined) {
    const hint = missing === 'optional' ? ALLOW_MISSING : '';
    if (name !== '' && missing !== 'allowed')
      refusals.problems.push(missingPlugin(registry, plugin, place) + hint);
    return step;
  }
  const checked = refusals.collect(() => checks.step(step, place, options));
  // Names in defaults are not noted: this server may lack them, like the plugins that need them.
  if (checked !== undefined && missing !== 'allowed')
    refusals.note({ kind, name, place: options, options: step.config });
  return { ...step, [kind]: name };
}

const ALLOW_MISSING = '; "allow_missing": true stores the step for a server that has it';

export function missingPlugin(registry: Registry, { kind, name }: StepPlugin, place: string): string {
  const known = registry.ofKind(kind).map(({ manifest }) => manifest.name);
  const near = suggest(name, known);
  const hint = near === undefined ? '' : ` (did you mean ${JSON.stringify(near)}?)`;
  return `${place}.${kind}: there is no ${kind} ${JSON.stringify(name.slice(0, 100))}; available: ${known.join(', ') || 'none'}${hint}`;
}
