import { basename, dirname } from 'node:path';
import { KINDS, type Kind } from '../../../core/contracts/manifest.ts';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import type { BrokenPlugin } from '../../../core/hosting/broken.ts';
import { createRegistry, type PluginEntry, type Registry } from '../../../core/hosting/registry.ts';
import { importModule } from './modules.ts';
import { type FoundFolder, findModule, kindOfFolder } from './plugin-folders.ts';

/** A plugin whose manifest could not be read. Its kind is that of its folder, or what its manifest says. */
export async function brokenFolder({ folder, origin }: FoundFolder, error: unknown): Promise<BrokenPlugin> {
  const file = findModule(folder, 'manifest') ?? folder;
  const kind = kindOfFolder(dirname(folder)) ?? (await kindIn(file));
  return { kind, name: basename(folder), origin, file, ...reasonsOf(error) };
}

/**
 * Makes the registry of the plugins that go together; those that do not, because of their name, their models or a
 * circle, are broken.
 */
export function createTolerantRegistry(
  found: readonly PluginEntry[],
  unreadable: readonly BrokenPlugin[],
): Registry {
  const entries = [...found];
  const broken = [...unreadable];
  for (;;) {
    try {
      return createRegistry(entries, broken);
    } catch (error) {
      // Of two that claim the same, the error names the file of the second.
      const at = entries.findLastIndex(
        ({ file }) => error instanceof ServiceError && file === error.values.file,
      );
      const [entry] = at === -1 ? [] : entries.splice(at, 1);
      if (entry === undefined) throw error;
      const { manifest, origin, file } = entry;
      broken.push({ kind: manifest.kind, name: manifest.name, origin, file, ...reasonsOf(error) });
    }
  }
}

async function kindIn(manifest: string): Promise<Kind | undefined> {
  const { default: data } = await importModule(manifest).catch(() => ({ default: undefined }));
  const { kind } = (data ?? {}) as { readonly kind?: unknown };
  return KINDS.find((one) => one === kind);
}

/** Why a plugin is broken: for anyone, without paths, and for the operator. */
function reasonsOf(error: unknown): { readonly reason: string; readonly message: string } {
  const message = reasonOf(error);
  if (!(error instanceof ServiceError)) return { reason: 'it cannot be read', message };
  const { code, values } = error;
  if (code === 'duplicate_plugin')
    return { reason: `there is another ${values.kind} "${values.name}"`, message };
  if (code === 'cyclic_plugins')
    return { reason: `plugins use each other in a circle: ${values.circle}`, message };
  return { reason: String(values.shown ?? values.reason), message };
}
