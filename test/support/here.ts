import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind, PluginId } from '../../core/contracts/manifest.ts';
import type { Collaborators, Implementations } from '../../core/contracts/plugin.ts';

/** Which plugins are in this checkout: any of them may have been trimmed, or deleted by hand. */

const ROOT = join(import.meta.dirname, '../..');
/** What shared tests ask for by name, as for any chunker and any tokenizer. */
export const REPLACED: readonly PluginId[] = ['chunker/token', 'tokenizer/character'];

/** Folders with stand-ins for those of them that are not here. */
export const STAND_INS: readonly string[] = REPLACED.filter((id) => !existsSync(folderOf(id))).map((id) =>
  join(ROOT, 'test/fixtures/stand-ins', `${id.split('/')[0]}s`),
);

/** The folder of a plugin in `plugins`. */
function folderOf(id: string): string {
  const [kind, name = ''] = id.split('/');
  return join(ROOT, 'plugins', kind === 'refinery' ? 'refineries' : `${kind}s`, name);
}

/** Whether tests can ask for a plugin. */
export function isHere(id: string): boolean {
  return REPLACED.some((replaced) => replaced === id) || existsSync(folderOf(id));
}

/** Options of a test that is about these plugins: without one of them it is skipped. */
export function needs(...ids: PluginId[]): { readonly skip: string | false } {
  const missing = ids.find((id) => !isHere(id));
  return { skip: missing !== undefined && `${missing} is not in this checkout` };
}

/** Whether a path from the root leads into the folder of a plugin, or of a kind, that is not here. */
export function isOfMissingPlugin(path: string): boolean {
  const [folder] =
    /^plugins\/(chunkers|refineries|readers|sinks|embeddings|tokenizers)(\/[a-z][a-z0-9-]*(?=\/|$))?/.exec(
      path,
    ) ?? [];
  return folder !== undefined && !existsSync(join(ROOT, folder));
}

/** Why a rule about the checkout as a whole cannot be held, or false. The page of routes links to the plugins. */
export const TRIMMED = linkedPlugins().some(isOfMissingPlugin) && 'plugins are not in this checkout';

function linkedPlugins(): readonly string[] {
  return readFileSync(join(ROOT, 'server/ROUTES.md'), 'utf8').match(/plugins\/[a-z]+\/[a-z0-9-]+/g) ?? [];
}

type Make<K extends Kind> = (given: Collaborators) => Promise<Implementations[K]>;

/** The factory of a plugin that a test of another gives to its own. It is not imported by name: it may not be here. */
export async function factoryOf<K extends Kind>(kind: K, name: string): Promise<Make<K>> {
  return (await import(join(folderOf(`${kind}/${name}`), 'index.ts'))).default;
}
