import t, { type Test } from 'tap';
import type { Collaborators } from '../../core/contracts/plugin.ts';
import type { Sink, SinkCollection, SinkTarget } from '../../core/contracts/sink.ts';
import { checkPluginUrls } from '../../server/cli/plugin-urls.ts';
import { createHostedModels } from '../../server/hosted/provider.ts';
import { collaborators } from '../../server/testing/collaborators.ts';
import { chunkOf } from '../../server/testing/contracts/sink/chunks.ts';
import type { Api } from './api-stand-in.ts';
import { never } from './hosted-host.ts';
import { composeQuietly } from './service.ts';
import { setVariables } from './variables.ts';

/** What tests of single sinks share. */

const FAST = { fetch, limits: { retries: 2, firstDelay: 1, longestDelay: 2000 }, timeout: 10_000 };

type CreateSink = (given: Collaborators) => Sink | Promise<Sink>;

/** A collection as a job opens it, with short waits between tries. */
export async function openSink(
  create: CreateSink,
  env: Readonly<Record<string, string>>,
  target: SinkTarget,
): Promise<SinkCollection> {
  const sink = await create(collaborators({ env, hosted: createHostedModels(FAST) }));
  return sink.open(target, { signal: never });
}

/** Holds that a call under way ends when nobody waits any more. */
export async function endsMidway(t: Test, collection: SinkCollection, api: Api): Promise<void> {
  for (const call of [
    (signal: AbortSignal) => collection.upsert([chunkOf('d')], { signal }),
    (signal: AbortSignal) => collection.deleteMissing('d', [], { signal }),
  ]) {
    const gone = new AbortController();
    const before = api.calls.length;
    api.refuse(1, 0);
    const done = call(gone.signal);
    while (api.calls.length === before) await new Promise((turn) => setImmediate(turn));
    gone.abort(new Error('gone'));
    await t.rejects(done, { message: 'gone' });
  }
}

/** A test that a sink needs the variable of its address, which the start checks. */
export function testAddress(name: string, variable: string, create: CreateSink): void {
  t.test('it needs its address, which is checked at the start', async (t) => {
    setVariables(t, { [variable]: undefined });
    const { registry } = await composeQuietly();
    const message = new RegExp(`"${name}" cannot run here: set the environment variable ${variable}`);
    t.throws(() => registry.require('sink', name), { status: 500, message });
    t.throws(
      () => checkPluginUrls(registry, { [variable]: 'localhost:1' }),
      new RegExp(`${variable}: expected`),
    );
    checkPluginUrls(registry, { [variable]: 'http://localhost:1' });
    t.throws(() => create(collaborators({ env: { [variable]: 'file:///etc' } })), {
      message: new RegExp(`${variable} is not an http`),
    });
  });
}
