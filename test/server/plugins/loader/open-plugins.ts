import { type Config, configOf } from '../../../../server/config/config.ts';
import { type ListedPlugin, listPlugins } from '../../../../server/engine/stages/listings.ts';
import { loadPlugins } from '../../../../server/plugins/loader/loader.ts';
import { type Cleanup, type Client, withStandIns } from '../../../support/server.ts';
import { openService } from '../../../support/service.ts';

export type { ListedPlugin };

/** The service with plugins of a test, as callers of it and of `GET /v1/plugins` see them; none is tried. */
export async function openPlugins(t: Cleanup, config: Partial<Config> = {}) {
  const registry = await loadPlugins(configOf(withStandIns(config)), process.env);
  const service = await openService(t, config, registry);
  const listed = listPlugins(registry, new Map());
  return { ...service, ids: idsOf(listed), find: (name: string) => named(listed, name) };
}

/** How a server lists a plugin. */
export async function find(client: Client, name: string): Promise<ListedPlugin> {
  return named((await client.get('/v1/plugins')).json<ListedPlugin[]>(), name);
}

const idsOf = (plugins: readonly ListedPlugin[]) => plugins.map(({ kind, name }) => `${kind}/${name}`);

function named(plugins: readonly ListedPlugin[], name: string): ListedPlugin {
  return plugins.find((one) => one.name === name) as ListedPlugin;
}

/** Files below a folder. */
export function under(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]));
}
