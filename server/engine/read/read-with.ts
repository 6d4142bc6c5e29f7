import type { ReadContext, ReadFile, SourceFile } from '../../../core/contracts/reader.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';

/** Whoever sends files: the same value for the same one. */
export type Sender = string | object;

/** What a guarded reader is given besides what all readers are. */
export interface GuardedContext extends ReadContext {
  /** For the turns of those who wait for a thread. */
  readonly sender?: Sender | undefined;
}

/** Whether a plugin is a reader that runs in a guarded thread. */
export function isGuarded({ manifest: { kind, guarded } }: PluginEntry): boolean {
  return kind === 'reader' && guarded === true;
}

/** Has a reader read a file. @throws ServiceError */
export function readWith(
  host: PluginHost,
  reader: PluginEntry,
  file: SourceFile,
  { sender, ...context }: GuardedContext,
): Promise<ReadFile> {
  const given: GuardedContext = { ...context, sender };
  return callPlugin(reader, async () => {
    const plugin = await host.get('reader', reader.manifest.name);
    return plugin.read(file, isGuarded(reader) ? given : context);
  });
}
