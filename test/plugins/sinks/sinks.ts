import { randomUUID } from 'node:crypto';
import type { SinkStandIn } from 'chunksmith/testing';
import type { Test } from 'tap';
import type { Collaborators } from '../../../core/contracts/plugin.ts';
import type { Sink, SinkCollection, SinkTarget } from '../../../core/contracts/sink.ts';
import { collaborators } from '../../../server/testing/collaborators.ts';
import { chunkOf } from '../../../server/testing/contracts/sink/chunks.ts';
import { checkSinkWith } from '../../../server/testing/contracts/sink/contract.ts';
import { never } from '../../support/hosted-host.ts';
import { benchWith, hostedQuickly } from '../remote.ts';
import type { Api, ApiCall } from './api-stand-in.ts';

/** What tests of single sinks share. */

/** A collection as a job opens it, with short waits between tries, and with three dimensions unless said otherwise. */
export async function openSink(
  create: (given: Collaborators) => Sink | Promise<Sink>,
  env: Readonly<Record<string, string>>,
  target: Partial<SinkTarget>,
): Promise<SinkCollection> {
  const sink = await create(collaborators({ env, hosted: hostedQuickly() }));
  return sink.open({ options: {}, dimensions: 3, ...target }, { signal: never });
}

/** Holds a sink to the promises of all sinks, with few histories; what it stores in is stopped. */
export async function checkSinkContract(name: string, standIn: SinkStandIn, runs = 8): Promise<string> {
  const { harness, entry } = await benchWith('sink', name);
  return checkSinkWith(harness, entry, standIn, { runs });
}

/** Says that of the document `long` the first hundred of some ids are kept, and 9900 others. */
export function keepHundred(collection: SinkCollection, ids: readonly string[]): Promise<void> {
  const kept = [...ids.slice(0, 100), ...Array.from({ length: 9900 }, () => randomUUID())];
  return collection.deleteMissing('long', kept, { signal: never });
}

/** What calls say: paths, queries, keys, and bodies, of which each line is JSON. */
export function saidIn(calls: readonly ApiCall[]): object[] {
  return calls.map(({ method, path, query, headers, text }) => ({
    method,
    path,
    query: Object.fromEntries(query),
    key: headers['api-key'] ?? headers.authorization,
    body: text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
  }));
}

/** Tests that a call under way ends. @param start starts what a sink stores in */
export function testMidway(
  t: Test,
  start: (t: Test) => Promise<{ readonly api: Api; open(): Promise<SinkCollection> }>,
): void {
  t.test('a call under way ends when nobody waits any more', async (t) => {
    const { api, open } = await start(t);
    const collection = await open();
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
  });
}
