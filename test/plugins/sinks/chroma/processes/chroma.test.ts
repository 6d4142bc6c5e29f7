import t from 'tap';
import createSink from '../../../../../plugins/sinks/chroma/index.ts';
import { chunkOf } from '../../../../../server/testing/contracts/sink/chunks.ts';
import { startChroma } from '../../../../servers/chroma.ts';
import { noServers } from '../../../../servers/servers.ts';
import { never } from '../../../../support/hosted-host.ts';
import { checkSinkContract, openSink } from '../../sinks.ts';

const OPTIONS = { collection: 'chunks', tenant: 'default_tenant', database: 'default_database' };

t.test("Chroma's own server", { skip: noServers }, async (t) => {
  const chroma = await startChroma(t);
  const open = (options: object = {}) =>
    openSink(createSink, chroma.env, { options: { ...OPTIONS, ...options } });

  await t.test('metadata is flat: lists and objects are JSON, and there is no null', async (t) => {
    const collection = await open({ collection: 'flat' });
    const fields = { start_index: 5, metadata: { tags: ['a'] }, title: null, score: 0.5, last: true };
    const chunk = chunkOf('a.md', { fields });
    await collection.upsert([chunk], { signal: never });
    const flat = { start_index: 5, metadata: '{"tags":["a"]}', score: 0.5, last: true };
    t.same((await chroma.metadata('flat')).get(chunk.id), { document_id: 'a.md', ...flat });
    await collection.upsert([{ ...chunk, fields: { score: 3 } }], { signal: never });
    const now = (await chroma.metadata('flat')).get(chunk.id);
    const left = { document_id: 'a.md', score: 3 };
    t.same(now, left, 'what a chunk no longer has is taken away, though it merges');
  });

  const refusals = 'names that it keeps for itself, and other databases, are errors with its words';
  await t.test(refusals, async (t) => {
    const chunk = chunkOf('a', { fields: { '#a': 1 } });
    const refused = /^Chroma answered 400: .*Invalid metadata at index 0/;
    await t.rejects((await open()).upsert([chunk], { signal: never }), { expose: true, message: refused });
    const message = 'Chroma answered 400: Database [another] does not exist';
    await t.rejects(open({ database: 'another' }), { expose: true, message });
  });

  // The last one, since it stops the server.
  await t.test('it keeps the promises of sinks', async (t) => {
    t.match(await checkSinkContract('chroma', chroma), /histories/);
  });
});
