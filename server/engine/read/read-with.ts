import type { ReadContext, ReadFile, SourceFile } from '../../../core/contracts/reader.ts';
import { brokenPromise } from '../../../core/engine/chunking.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { unlessAborted } from '../abort.ts';

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

/** Has a reader read a file. @throws ServiceError; the reason of the signal */
export function readWith(
  host: PluginHost,
  reader: PluginEntry,
  file: SourceFile,
  { sender, ...context }: GuardedContext,
): Promise<ReadFile> {
  const given: GuardedContext = { ...context, sender };
  return callPlugin(reader, async () => {
    const plugin = await unlessAborted(host.get('reader', reader.manifest.name), context.signal);
    const read: unknown = await plugin.read(file, isGuarded(reader) ? given : context);
    if (hasText(read)) return read;
    throw brokenPromise(reader.manifest, 'it returned no text');
  });
}

function hasText(read: unknown): read is ReadFile {
  return typeof read === 'object' && read !== null && 'text' in read && typeof read.text === 'string';
}
