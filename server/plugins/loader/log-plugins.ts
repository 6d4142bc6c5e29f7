import { dirname } from 'node:path';
import type { Log } from '../../../core/contracts/collaborators.ts';
import type { Registry } from '../../../core/hosting/registry.ts';

/** Warns about broken plugins, and about those written for other versions of the contract. */
export function logPlugins({ all, broken }: Registry, log: Log): void {
  for (const { kind = 'unknown', name, file, reason, message = reason } of broken)
    log.warn({ plugin: `${kind}/${name}`, file, reason: message }, 'a plugin is broken');
  for (const { id, file, warning } of all) {
    if (warning === undefined) continue;
    const details = { plugin: id, folder: dirname(file), reason: warning };
    log.warn(details, 'a plugin is written for another version of the plugin contract');
  }
}
