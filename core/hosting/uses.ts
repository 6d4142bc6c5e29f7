import type { Manifest, PluginId } from '../contracts/manifest.ts';

/** The single plugins that a manifest names in `uses`. */
export function usedPlugins(manifest: Manifest): PluginId[] {
  return (manifest.uses ?? []).filter((use): use is PluginId => use.includes('/'));
}

/** The single plugins that a plugin may be given: those named in its manifest's `uses` and `chooses`. */
export function givenPlugins(manifest: Manifest): PluginId[] {
  return [...usedPlugins(manifest), ...(manifest.chooses ?? [])];
}
