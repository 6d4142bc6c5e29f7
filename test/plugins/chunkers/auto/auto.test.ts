import t from 'tap';
import { CHOICES } from '../../../../plugins/chunkers/auto/manifest.ts';
import { isHere, needs } from '../../../support/here.ts';
import { startServer } from '../../../support/server.ts';

const TEXTS: Readonly<Record<string, string>> = {
  markdown: '# Tea\n\nBoil *water*.\n\n- green\n- black\n',
  html: '<!doctype html>\n<title>Tea</title>\n<h1>Tea</h1><p>Boil water.</p>',
  table: 'city,people,founded\nOslo,709037,1040\nRome,2748109,-753\n',
  json: '{"name": "Ada", "tags": ["math", "engines"]}',
  code: 'import os\n\ndef first(path):\n    return os.stat(path)\n',
  recursive: 'The kettle sings. Nobody listens, and the tea grows cold.',
};

interface Answered {
  readonly text: string;
  readonly chunker: string;
  readonly heading_path?: readonly string[];
  readonly context?: string;
  readonly pointer?: string;
}

const here = CHOICES.filter((name) => isHere(`chunker/${name}`));
const client = await startServer(t, {});
const chunk = async (body: object) => {
  const answer = await client.post('/v1/chunk/auto', body);
  t.equal(answer.status, 200);
  return { header: answer.headers.get('x-auto-chunker'), body: answer.json<unknown>() };
};

t.test('it says in the chunks and in a header what it chose, for each text of a list', async (t) => {
  const { header, body } = await chunk({ text: here.map((name) => TEXTS[name]) });
  t.equal(header, here.join(', '));
  for (const [index, chunks] of (body as Answered[][]).entries()) {
    const name = here[index] as string;
    t.ok(chunks.every(({ chunker }) => chunker === name));
    t.equal(chunks.map(({ text }) => text).join(''), TEXTS[name]);
  }
});

t.test('the chunks are those of the chosen chunker', async (t) => {
  for (const name of here) {
    const asked = { text: TEXTS[name], chunk_size: 20 };
    const own = await client.post(
      `/v1/chunk/${name}`,
      name === 'code' ? { ...asked, language: 'auto' } : asked,
    );
    const { body } = await chunk(asked);
    t.same(
      body,
      own.json<object[]>().map((chunk) => ({ ...chunk, chunker: name })),
      name,
    );
  }
});

t.test('a name decides before the content: the option, then the file name, then the id', async (t) => {
  const text = TEXTS.recursive as string;
  const documents = [
    { text, filename: 'a/tea.MD', id: 'tea.csv' },
    { text, id: 'tea.html' },
    { text, id: 'tea' },
    { text, filename: 'C:\\notes.csv' },
  ];
  const expected = ['markdown', 'html', 'recursive', 'table'];
  t.equal((await chunk({ documents })).header, expected.map((name) => orRecursive(name)).join(', '));
  const { header } = await chunk({ documents, filename: 'x.htm' });
  t.equal(header, orRecursive('html'), 'one for all');
});

function orRecursive(name: string): string {
  return here.some((one) => one === name) ? name : 'recursive';
}

t.test(
  'the options of each chunker stand under its name',
  needs('chunker/table', 'chunker/json'),
  async (t) => {
    const contexts = async (table: object) => {
      const { body } = await chunk({ text: TEXTS.table, chunk_size: 40, table });
      return (body as Answered[]).map(({ context }) => context);
    };
    t.same(await contexts({}), [undefined, 'city,people,founded']);
    t.same(await contexts({ carry: 'none' }), [undefined, undefined]);
    t.equal((await chunk({ text: '{"a": 1, // x\n}', filename: 'a.json' })).header, orRecursive('code'));
    t.equal(
      (await chunk({ text: '{"a": 1, // x\n}', filename: 'a.json', json: { tolerant: true } })).header,
      'json',
    );
  },
);

t.test(
  'what is wrong with an option is said with its place',
  needs('chunker/markdown', 'chunker/table'),
  async (t) => {
    const problems = async (more: object) => {
      const answer = await client.post('/v1/chunk/auto', { text: 'a', ...more });
      t.equal(answer.status, 400);
      return JSON.stringify(answer.json());
    };
    t.match(
      await problems({ markdown: { split_level: 9 } }),
      'markdown.split_level: expected an integer from 0 to 6, got 9',
    );
    t.match(
      await problems({ markdown: { split_levle: 1 } }),
      'markdown.split_levle: unknown parameter, did you mean \\"split_level\\"?',
    );
    t.match(await problems({ markdown: 3 }), 'markdown: expected an object, got 3');
    t.match(await problems({ markdown: { chunk_size: 3 } }), 'markdown.chunk_size: unknown parameter');
    t.match(
      await problems({ chunk_size: 10, recursive: { chunk_overlap: 10 } }),
      'recursive.chunk_overlap: expected less than chunk_size (10), got 10',
    );
    t.match(
      await problems({ table: { rows_per_chunk: 3, min_chunk_size: 4 } }),
      'table.rows_per_chunk: cannot be given together with min_chunk_size',
    );
    t.match(
      await problems({ recursive: { delimiters: Array(20_000).fill('a') } }),
      'recursive.delimiters: 20000 entries, over the limit',
    );
  },
);

t.test('options that exclude each other may both be at their defaults', needs('chunker/table'), async (t) => {
  t.equal((await chunk({ text: TEXTS.table, table: { rows_per_chunk: 1 } })).header, 'table');
});

t.test('a server without some of them chooses among the others', needs('chunker/json'), async (t) => {
  const few = await startServer(t, { plugins: ['auto', 'json', 'character'] });
  const answer = await few.post('/v1/chunk/auto', { text: [TEXTS.markdown, TEXTS.json] });
  t.equal(answer.headers.get('x-auto-chunker'), 'recursive, json');
  const refused = await few.post('/v1/chunk/auto', { text: 'a', markdown: {} });
  t.equal(refused.status, 400, 'it does not take options of what is not there');
  t.match(JSON.stringify(refused.json()), 'markdown: unknown parameter');
  t.equal(
    (await few.get('/v1/plugins')).json<object[]>().length,
    4,
    'auto, json, recursive and the tokenizer',
  );
});
