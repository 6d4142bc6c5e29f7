import { SUITES } from 'chunksmith/testing';
import type { Test } from 'tap';
import type { Kind } from '../../core/contracts/manifest.ts';
import type { Collaborators } from '../../core/contracts/plugin.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { checkPluginUrls } from '../../server/cli/run-server.ts';
import type { HostedTools } from '../../server/plugins/hosted/call.ts';
import { createHostedModels } from '../../server/plugins/hosted/provider.ts';
import { collaborators } from '../../server/testing/collaborators.ts';
import type { SuiteOptions } from '../../server/testing/promises.ts';
import { openHarness } from '../contracts/harness.ts';
import { composeQuietly } from '../support/service.ts';
import { setVariables } from '../support/variables.ts';

/** What tests share of plugins that call another service. */

const FAST: HostedTools = {
  fetch,
  limits: { retries: 2, firstDelay: 1, maxDelay: 2000 },
  timeout: 10_000,
};

/** What calls services, with short waits between tries. */
export const hostedQuickly = (tools: Partial<HostedTools> = {}) => createHostedModels({ ...FAST, ...tools });

/** A harness with one plugin and those that it uses, and that plugin. */
export async function benchWith(kind: Kind, name: string) {
  const harness = await openHarness({ plugins: [name, 'character'] });
  return {
    harness,
    entry: harness.plugins(kind).find(({ manifest }) => manifest.name === name) as PluginEntry,
  };
}

/** Holds a plugin to the promises of its kind, and says what was tried. */
export async function checkPromises(kind: Kind, name: string, options: SuiteOptions): Promise<string> {
  const { harness, entry } = await benchWith(kind, name);
  return SUITES[kind].run(harness, entry, options);
}

/** A test that a plugin needs the variable of its address, which the start checks. */
export function testAddress(
  t: Test,
  kind: Kind,
  name: string,
  variable: string,
  create: (given: Collaborators) => unknown,
): void {
  t.test('it needs its address, which is checked at the start', async (t) => {
    setVariables(t, { [variable]: undefined });
    const { registry } = await composeQuietly();
    const message = new RegExp(`"${name}" cannot run here: set the environment variable ${variable}`);
    t.throws(() => registry.require(kind, name), { status: 500, message });
    const checkUrl = (url: string) => checkPluginUrls(registry, { [variable]: url });
    t.throws(() => checkUrl('localhost:1'), { message: new RegExp(`${variable}: expected`) });
    checkUrl('http://localhost:1');
    t.throws(() => create(collaborators({ env: { [variable]: 'file:///etc' } })), {
      message: new RegExp(`${variable} is not an http`),
    });
  });
}
