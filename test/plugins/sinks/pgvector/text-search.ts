import fc from 'fast-check';
import pg from 'pg';
import type { Test } from 'tap';
import type { SinkChunk, SinkCollection, SinkTarget } from '../../../../core/contracts/sink.ts';
import { embeddedText } from '../../../../core/engine/cuts/cuts.ts';
import createSink from '../../../../plugins/sinks/pgvector/index.ts';
import { anyChunk, chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { blocksOf, page } from '../../../pages/programs.ts';
import { never } from '../../../support/hosted-host.ts';
import { checkFusedSearch, type Search } from '../fused-search.ts';
import { openSink } from '../sinks.ts';
import type { SinkDatabase } from './database.ts';

/** The query of the recipe. */
const [FUSED = ''] = blocksOf(page('server/recipes/pgvector-hybrid.md'), 'sql');

const OPTIONS = { table: 'chunks', schema: 'public', vectors: 'vector', text_search: true };

interface Searched extends Pick<SinkDatabase, 'run' | 'chunks'> {
  open(options?: object, target?: Partial<SinkTarget>): Promise<SinkCollection>;
  /** The ids that a query finds, in its order. */
  ids(query: string, values: readonly unknown[]): Promise<string[]>;
}

/** Tests what chunks are found by. @param database which has no chunks yet, and loses them after each test */
export function testTextSearch(t: Test, database: SinkDatabase): void {
  for (const [name, check] of Object.entries(CASES)) {
    t.test(name, async (t) => {
      const collections: SinkCollection[] = [];
      const open = async (options: object = {}, target: Partial<SinkTarget> = {}) => {
        const own = { options: { ...OPTIONS, language: 'english', ...options }, ...target };
        const collection = await openSink(createSink, database.env, own);
        collections.push(collection);
        return collection;
      };
      t.teardown(async () => {
        for (const collection of collections) await collection.close();
        await database.run('drop table if exists chunks');
      });
      const ids = (query: string, values: readonly unknown[]) => idsOf(database.url, query, values);
      await check(t, { ...database, open, ids });
    });
  }
}

const CASES: Readonly<Record<string, (t: Test, searched: Searched) => Promise<void>>> = {
  async "the recipe's query finds what vectors miss, and nothing old"(t, { open, ids }) {
    const search: Search = (question, vector) => ids(FUSED, [JSON.stringify(vector), question]);
    const collection = await open();
    await checkFusedSearch(t, collection, search);
    t.equal((await search('what is it?', [1, 0, 0])).length, 5, 'without words that count it has vectors');
  },

  async 'what is searched is what is embedded with its context'(t, { open, ids, run }) {
    const collection = await open();
    const contexts = [{}, { context: null }, { context: '' }, { context: 'A title\nA heading' }];
    const query = `select id from chunks join unnest($1::uuid[], $2::text[]) as given (id, words) using (id)
      where search_text = to_tsvector('english', words)`;
    const check = async (given: readonly Partial<SinkChunk>[]) => {
      const chunks = given.map((one, at) =>
        chunkOf('any', { ...one, fields: { ...one.fields, ...contexts[at % 5] } }),
      );
      await upsert(collection, chunks);
      const texts = chunks.map(({ text, fields }) => embeddedText(text, fields.context));
      const same = await ids(query, [chunks.map(({ id }) => id), texts]);
      if (same.length !== chunks.length) throw new Error(`${chunks.length - same.length} differ`);
    };
    const anyChunks = fc.array(anyChunk, { minLength: 1, maxLength: 50 });
    await fc.assert(fc.asyncProperty(anyChunks, check), { numRuns: 10 });
    const indexes = await run(`select indexdef from pg_indexes where tablename = 'chunks'`);
    t.match(JSON.stringify(indexes), 'USING gin (search_text)');
  },

  async 'words are searched without vectors, and in another language'(t, { open, ids }) {
    const collection = await open({ language: 'german' }, { dimensions: undefined });
    const house = chunkOf('a', { text: 'Die Häuser am See', embedding: null });
    await upsert(collection, [house, chunkOf('a', { text: 'Der Berg', embedding: null })]);
    const query = `select id from chunks where search_text @@ plainto_tsquery('german', $1)`;
    t.same(await ids(query, ['Haus']), [house.id]);
    const message = /^PostgreSQL: text search configuration "klingon" does not exist$/;
    await t.rejects(open({ table: 'others', language: 'klingon' }), { statusCode: 400, message });
  },

  async 'an existing table is not altered: the error has the statements that do it'(t, searched) {
    const { open } = searched;
    const chunk = chunkOf('a', { text: 'The kettles', fields: { context: 'Tea' } });
    await upsert(await open({ text_search: false }), [chunk]);
    await alterAsSaid(t, searched, 'english', 'is missing');
    const query = 'select id from chunks where search_text @@ $1::tsquery';
    t.same(await searched.ids(query, ['kettl & tea']), [chunk.id]);
    await alterAsSaid(t, searched, 'simple', 'is not computed for the language simple');
    t.same(await searched.ids(query, ['kettles & tea']), [chunk.id]);
    await upsert(await open({ text_search: false }), [chunkOf('b')]);
  },

  async 'a chunk with too many words is an error that names it, and nothing is stored'(t, { open, chunks }) {
    const collection = await open();
    const wordy = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ');
    const long = chunkOf('a', { text: wordy(110_000), fields: { context: 'Tea' } });
    const said = `in the chunk ${long.id}: make chunks smaller$`;
    const message = new RegExp(`^PostgreSQL: string is too long for tsvector \\(.*\\), ${said}`);
    for (const before of [0, 4]) {
      const short = Array.from({ length: before + 2 }, () => chunkOf('a', { text: wordy(1000) }));
      const stored = upsert(collection, [...short.slice(0, before), long, ...short.slice(before)]);
      await t.rejects(stored, { expose: true, message });
    }
    t.same(await chunks('chunks'), []);
  },
};

/** Opens the table after it was altered as the error says, and not before. */
async function alterAsSaid(t: Test, { open, run }: Searched, language: string, said: string): Promise<void> {
  const columns = () =>
    run(`select attname, attgenerated from pg_attribute where attrelid = 'chunks'::regclass order by 1`);
  const before = await columns();
  const start = `PostgreSQL: the column search_text ${said}; choose another table, text_search: false, or run: `;
  const refused = await open({ language }).catch((error: Error) => error);
  t.match(refused, { expose: true, statusCode: 400 });
  const { message } = refused as Error;
  t.ok(message.startsWith(start), message);
  t.same(await columns(), before);
  const statements = message.slice(start.length).match(/[^;]+;/g) ?? [];
  t.equal(statements.length, 2);
  for (const statement of statements) await run(statement);
  await open({ language });
}

const upsert = (collection: SinkCollection, chunks: readonly SinkChunk[]): Promise<void> =>
  collection.upsert(chunks, { signal: never });

async function idsOf(url: string, text: string, values: readonly unknown[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ id: string }>(text, [...values])).rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}
