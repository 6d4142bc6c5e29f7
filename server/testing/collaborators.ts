import type { Log } from '../../core/contracts/collaborators.ts';
import type { Collaborators } from '../../core/contracts/plugin.ts';
import { ownBuffers } from '../engine/run/shared-buffers.ts';
import { createCheck } from '../engine/validation/validator.ts';
import { hostedModels } from '../plugins/hosted/provider.ts';

export const quietLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** The collaborators that a plugin's factory gets. Models and variables come only from the test. */
export function collaborators(given: Partial<Collaborators> = {}): Collaborators {
  return {
    log: quietLog,
    createCheck,
    shared: ownBuffers,
    models: { find: async () => undefined, names: async () => [] },
    hosted: hostedModels,
    memoryBytes: 1e9,
    env: {},
    ...given,
  };
}
