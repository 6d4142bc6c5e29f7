import { dirname } from 'node:path';
import type { Log } from '../../../core/contracts/collaborators.ts';
import type { PluginId } from '../../../core/contracts/manifest.ts';
import { ServiceError } from '../../../core/errors.ts';
import { isLacking } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';

/** Called with the reason if a plugin cannot be created, and with `undefined` once the plugin works again. */
export type OnPluginState = (id: PluginId, failure: string | undefined) => void;

/** The plugins whose last import or creation failed, with the reasons that callers of the service see. */
export class PluginFailures {
  readonly reasons = new Map<PluginId, string>();
  readonly #log: Log;
  readonly #onChange: OnPluginState;

  /** @param onChange called if `note` changes the state of a plugin */
  constructor(log: Log, onChange: OnPluginState = () => {}) {
    this.#log = log;
    this.#onChange = onChange;
  }

  /** Notes that this thread created a plugin, or failed with `error`. Logs repeated failures only once. */
  note({ id, file }: PluginEntry, error?: unknown): void {
    if (isLacking(error)) return;
    const failure = error === undefined ? undefined : reasonFor(id, error);
    if (failure === this.reasons.get(id)) return;
    if (failure !== undefined)
      this.#log.error({ plugin: id, folder: dirname(file), err: error }, 'a plugin cannot be created');
    this.set(id, failure);
    this.#onChange(id, failure);
  }

  set(id: PluginId, failure: string | undefined): void {
    if (failure === undefined) this.reasons.delete(id);
    else this.reasons.set(id, failure);
  }
}

/** The reason of a failure, for callers. The error may come from another plugin that this plugin uses. */
function reasonFor(id: PluginId, error: unknown): string {
  if (!(error instanceof ServiceError)) return "an unexpected error; see the server's log";
  const { code, values, detail } = error;
  const isOwn = code === 'plugin_failed' && id === `${values.kind}/${values.name}`;
  return isOwn ? String(values.reason) : detail;
}
