import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Kind, PluginId } from '../../../core/contracts/manifest.ts';
import { hold } from '../../../core/hold.ts';
import type { ImportFailure } from '../../../core/hosting/plugin-error.ts';
import { givenPlugins, type PluginEntry, type Registry } from '../../../core/hosting/registry.ts';
import { MODULE_ENDING } from '../../config/module-ending.ts';
import { indexOf } from './import-factory.ts';
import type { ImportOutcome } from './import-process.ts';

type ImportFailures = ReadonlyMap<PluginId, ImportFailure>;

export type ImportCheck = ReturnType<typeof createImportCheck>;

/** Finds plugins that cannot be imported, although nothing that their manifests name is missing. */
export function createImportCheck({ registry }: { readonly registry: Registry }) {
  const stop = new AbortController();
  let failures: Promise<ImportFailures> | undefined;
  return {
    /**
     * Imports all factories at the first call, as requests do, in a separate process: unlike a thread, it can be
     * ended whatever a plugin does, and leaves no memory behind.
     */
    failures(): Promise<ImportFailures> {
      failures ??= importAll(registry, stop.signal).then((failed) => withDependants(registry, failed));
      return failures;
    },
    /** Ends the process, if it runs. */
    async close(): Promise<void> {
      stop.abort();
      await failures;
    },
  };
}

/** Continues in a new process after a plugin whose import has ended its process, or does not end. */
async function importAll(registry: Registry, stop: AbortSignal): Promise<ImportFailures> {
  const failed = new Map<PluginId, ImportFailure>();
  let left = registry.all.filter(({ missing }) => missing.length === 0);
  while (left.length > 0 && !stop.aborted) {
    const { outcomes, end } = await importInProcess(left, stop);
    if (stop.aborted) break;
    for (const [index, failure] of outcomes.entries()) {
      if (failure !== null) failed.set((left[index] as PluginEntry).id, failure);
    }
    const next = left[outcomes.length];
    if (next !== undefined) failed.set(next.id, { reason: end });
    left = left.slice(outcomes.length + 1);
  }
  return failed;
}

interface Imported {
  /** The problem of each plugin that the process has finished, in order. */
  readonly outcomes: readonly ImportOutcome[];
  /** Why the process did not finish the next one. */
  readonly end: string;
}

const ENTRY = join(import.meta.dirname, `import-process${MODULE_ENDING}`);
/** Milliseconds that the import of one factory may take. */
const MAX_WAITING = 10_000;

function importInProcess(entries: readonly PluginEntry[], stop: AbortSignal): Promise<Imported> {
  const files = entries.map((entry) => indexOf(entry));
  const ended = Promise.withResolvers<Imported>();
  const outcomes: ImportOutcome[] = [];
  let end = 'its import ends the process';
  const finish = (all: readonly ImportOutcome[]) => {
    clearTimeout(late);
    ended.resolve({ outcomes: all, end });
  };
  // If no process can be started, or the server is being stopped, nothing is known against the plugins.
  const giveUp = () => finish(files.map(() => null));
  const child = hold(fork(ENTRY, { stdio: 'ignore', signal: stop, killSignal: 'SIGKILL' }), giveUp);
  child.send(files);
  const kill = () => void child.kill('SIGKILL');
  const late = setTimeout(() => {
    end = `its import takes longer than ${MAX_WAITING / 1000} s`;
    kill();
  }, MAX_WAITING);
  child.on('message', (outcome: ImportOutcome) => {
    outcomes.push(outcome);
    late.refresh();
    if (outcomes.length === files.length) kill();
  });
  child.on('exit', (_code, signal) => (signal === 'SIGINT' ? giveUp() : finish(outcomes)));
  return ended.promise;
}

/** Adds the plugins that use one that cannot be imported. */
function withDependants(registry: Registry, failed: ImportFailures): ImportFailures {
  const all = new Map(failed);
  const isFailed = ({ id, manifest }: PluginEntry): boolean => {
    if (all.has(id)) return true;
    const broken = givenPlugins(manifest).find((used) => {
      const [kind, name] = used.split('/') as [Kind, string];
      const entry = registry.find(kind, name);
      return entry !== undefined && isFailed(entry);
    });
    if (broken === undefined) return false;
    all.set(id, { reason: `it uses ${broken}, which cannot be imported` });
    return true;
  };
  for (const entry of registry.all) isFailed(entry);
  return all;
}
