import fc from 'fast-check';
import pg from 'pg';
import type { Test } from 'tap';
import type { SinkChunk, SinkCollection, SinkTarget } from '../../../../core/contracts/sink.ts';
import { embeddedText } from '../../../../core/engine/cuts/cuts.ts';
import createSink from '../../../../plugins/sinks/pgvector/index.ts';
import { anyChunk, chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { never } from '../../../support/hosted-host.ts';
import { checkFusedSearch, type Search } from '../fused-search.ts';
import { openSink } from '../sinks.ts';
import type { SinkDatabase } from './database.ts';

/** Searches by vectors and words, with the function that the sink creates. */
const FUSED = 'select id from chunks_search($2, $1)';

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
        for (const types of ['text, vector, integer, jsonb', 'text, integer, jsonb'])
          await database.run(`drop function if exists chunks_search(${types})`);
      });
      const ids = (query: string, values: readonly unknown[]) => idsOf(database.url, query, values);
      await check(t, { ...database, open, ids });
    });
  }
}

const CASES: Readonly<Record<string, (t: Test, searched: Searched) => Promise<void>>> = {
  async 'the search function finds what vectors miss, and nothing old'(t, { open, ids }) {
    const search: Search = (question, vector) => ids(FUSED, [JSON.stringify(vector), question]);
    const collection = await open();
    await checkFusedSearch(t, collection, search);
    t.equal((await search('what is it?', [1, 0, 0])).length, 5, 'without words that count it has vectors');
  },

  async 'what is searched is what is embedded with its context'(t, { open, ids, run }) {
    const collection = await open();
    const contexts = [{}, { context: null }, { context: '' }, { context: 'A title\nA heading' }];
    const query = `select id from chunks join unnest($1::uuid[], $2::text[]) as given (id, words) using (id)
      where tsvector_to_array(search_text) = tsvector_to_array(to_tsvector('english', words))`;
    const check = async (given: readonly Partial<SinkChunk>[]) => {
      const chunks = given.map((one, at) =>
        chunkOf('any', { ...one, fields: { ...one.fields, ...contexts[at % 5] } }),
      );
      await upsert(collection, chunks);
      const texts = chunks.map(({ text, fields }) => inPairs(embeddedText(text, fields.context)));
      const same = await ids(query, [chunks.map(({ id }) => id), texts]);
      if (same.length !== chunks.length) throw new Error(`${chunks.length - same.length} differ`);
    };
    const text = fc.string({ unit: fc.constantFrom(...'ab 1.漢字かカ한ไท'), maxLength: 20 });
    const mixed = text.map((one) => ({ text: one }));
    for (const one of [anyChunk, mixed] as const) {
      const anyChunks = fc.array<Partial<SinkChunk>>(one, { minLength: 1, maxLength: 50 });
      await fc.assert(fc.asyncProperty(anyChunks, check), { numRuns: 10 });
    }
    const indexes = await run(`select indexdef from pg_indexes where tablename = 'chunks'`);
    t.match(JSON.stringify(indexes), 'USING gin (search_text)');
  },

  async 'a rare word of the question counts more than frequent ones'(t, { open, ids }) {
    const collection = await open({ language: 'simple' }, { dimensions: undefined });
    const texts = ['the tea of the pot', 'a kettle', 'the cup of the set', 'the lid of the can'];
    const chunks = texts.map((text) => chunkOf('a', { text, embedding: null }));
    await upsert(collection, chunks);
    const [found] = await ids('select id from chunks_search($1)', ['the lid of the kettle of the house']);
    t.ok([chunks[1]?.id, chunks[3]?.id].includes(found));
    t.equal((await ids('select id from chunks_search($1, 1)', ['the kettle'])).at(0), chunks[1]?.id);
  },

  async 'words of scripts without spaces are found, beside words with spaces'(t, { open, ids }) {
    const collection = await open();
    const texts = ['绿茶要泡两分钟。', 'Pythonは速い言語です。', 'ชาเขียวชงสองนาที', '물을 끓인다'];
    const chunks = texts.map((text) => chunkOf('a', { text }));
    await upsert(collection, chunks);
    const first = async (question: string) => {
      const [found] = await ids('select id from chunks_search($1, $2, 1)', [question, '[0,0,1]']);
      return chunks.findIndex(({ id }) => id === found);
    };
    const questions = { 茶泡两分: 0, Python: 1, 速い: 1, ชงสอง: 2, 끓인: 3 };
    for (const [question, at] of Object.entries(questions)) t.equal(await first(question), at, question);
  },

  async 'only chunks that pass the filter are found'(t, { open, ids }) {
    const collection = await open();
    const teams = ['a', 'b'].map((team) => chunkOf(team, { text: 'Tea', fields: { metadata: { team } } }));
    await upsert(collection, teams);
    const query = `select id from chunks_search('tea', '[1,0,0]', filter => $1)`;
    t.same(await ids(query, [{ metadata: { team: 'b' } }]), [teams[1]?.id]);
  },

  async 'without a vector of the question, the function ranks by words'(t, { open, ids }) {
    const chunks = ['Tea', 'Coffee'].map((text) => chunkOf('a', { text }));
    await upsert(await open(), chunks);
    t.same(await ids('select id from chunks_search($1, null)', ['coffee']), [chunks[1]?.id]);
  },

  async 'the search function is created again if it is missing, and never replaced'(t, { open, run }) {
    const countOf = async () => (await run(`select from pg_proc where proname = 'chunks_search'`)).length;
    await open();
    await run('drop function chunks_search(text, vector, integer, jsonb)');
    await open({ text_search: false });
    t.equal(await countOf(), 0);
    await run(
      `create function chunks_search(text, vector, integer, jsonb) returns integer language sql as 'select 1'`,
    );
    await open();
    t.match(await run(`select chunks_search('', '[1]', 1, '{}') as own`), [{ own: 1 }]);
    await run('drop function chunks_search(text, vector, integer, jsonb)');
    await open();
    t.equal(await countOf(), 1);
  },

  async 'words are searched without vectors, and in another language'(t, { open, ids }) {
    const collection = await open({ language: 'german' }, { dimensions: undefined });
    const house = chunkOf('a', { text: 'Die Häuser am See', embedding: null });
    await upsert(collection, [house, chunkOf('a', { text: 'Der Berg', embedding: null })]);
    t.same(await ids('select id from chunks_search($1)', ['Haus oder Hütte?']), [house.id]);
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
  t.equal(statements.length, said === 'is missing' ? 2 : 3);
  for (const statement of statements) await run(statement);
  await open({ language });
}

/** Puts spaces around what counts as words in scripts without spaces: pairs of characters, and the last of a run. */
function inPairs(text: string): string {
  return text.replace(
    /[\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+/g,
    (run) => {
      const words = [...run].map((character, at) => character + (run[at + 1] ?? ''));
      return ` ${words.join(' ')} `;
    },
  );
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
