import { type Kind, type Manifest, NO_OPTIONS } from '../../../core/contracts/manifest.ts';
import { needsKey } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { ownersOf } from '../../../core/hosting/registry.ts';
import type { ServerCradle } from '../../container.ts';
import type { Task } from '../../engine/tasks.ts';

/** A request that shows whether a plugin works. */
export interface Example {
  readonly task: Task;
  readonly body: object;
}

type Sources = Pick<ServerCradle, 'registry' | 'host'>;

/**
 * The request that tries a plugin: its own example, or for a tokenizer and an embedding plugin the example of a
 * plugin that uses one, with the first name that it lists. `undefined` if every example needs the network.
 *
 * @throws whatever a tokenizer or an embedding plugin throws when it is created and lists its names
 */
export async function exampleFor(entry: PluginEntry, sources: Sources): Promise<Example | undefined> {
  const { kind, name } = entry.manifest;
  if (needsKey(entry.manifest)) return undefined;
  if (kind === 'chunker' || kind === 'refinery') {
    return callsNetwork(entry, sources) ? undefined : ownExample(entry.manifest, {});
  }
  if (kind === 'reader' || kind === 'sink') return undefined;
  const option = kind === 'tokenizer' ? 'tokenizer' : 'embedding_model';
  const listed = await firstName(kind, name, sources);
  const user = listed === undefined ? undefined : userOf(kind, sources);
  return user === undefined ? undefined : ownExample(user.manifest, { [option]: listed });
}

function ownExample({ kind, name, example }: Manifest, more: object): Example | undefined {
  if (example === undefined) return undefined;
  return { task: { run: kind === 'chunker' ? 'chunk' : 'refine', name }, body: { ...example, ...more } };
}

/** The first tokenizer or model that a plugin can open now. */
async function firstName(
  kind: 'tokenizer' | 'embedding',
  name: string,
  { host }: Sources,
): Promise<string | undefined> {
  if (kind === 'tokenizer') return (await (await host.get(kind, name)).names())[0];
  return (await (await host.get(kind, name)).list())[0]?.name;
}

/** A plugin with an example that uses what requests open of a kind. */
function userOf(kind: Kind, { registry }: Sources): PluginEntry | undefined {
  return registry.all.find(
    ({ manifest, missing }) =>
      missing.length === 0 && manifest.uses?.includes(kind) === true && manifest.example !== undefined,
  );
}

/** Whether the example of a plugin uses a model behind an API. */
function callsNetwork(entry: PluginEntry, { registry }: Sources): boolean {
  const { options = NO_OPTIONS, example, uses = [] } = entry.manifest;
  if (!uses.includes('embedding')) return false;
  const schemas = Object.entries(options.properties) as [string, { readonly default?: unknown }][];
  const defaults = Object.fromEntries(schemas.map(([name, schema]) => [name, schema.default]));
  const asked: Readonly<Record<string, unknown>> = { ...defaults, ...(example as object | undefined) };
  const owners = ownersOf(registry, 'embedding', asked.embedding_model as string);
  return owners.some((owner) => needsKey(owner.manifest));
}
