import t from 'tap';
import { CHOICES } from '../../../../plugins/chunkers/auto/manifest.ts';
import { isHere, needs } from '../../../support/here.ts';
import { startServer } from '../../../support/server.ts';
import { checkRefusals } from '../refusals.ts';

const TEXTS: Readonly<Record<string, string>> = {
  markdown: '# Tea\n\nBoil *water*.\n\n- green\n- black\n',
  markup: 'Tea\n===\n\nBoil water.\n\n.. note:: Not too long.\n\nMilk\n----\n\nOnly a little.\n',
  html: '<!doctype html>\n<title>Tea</title>\n<h1>Tea</h1><p>Boil water.</p>',
  xml: '<?xml version="1.0"?>\n<teas>\n  <tea>black</tea>\n  <tea>green</tea>\n</teas>\n',
  table: 'city,people,founded\nOslo,709037,1040\nRome,2748109,-753\n',
  json: '{"name": "Ada", "tags": ["math", "engines"]}',
  code: 'import os\n\ndef first(path):\n    return os.stat(path)\n',
  recursive: 'The kettle sings. Nobody listens, and the tea grows cold.',
};

interface Answered {
  readonly text: string;
  readonly chunker: string;
  readonly context?: string;
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
    const more = name === 'code' ? { language: 'auto', oversize: 'members' } : {};
    const own = (await client.post(`/v1/chunk/${name}`, { ...asked, ...more })).json<object[]>();
    const named = own.map((chunk) => ({ ...chunk, chunker: name }));
    t.same((await chunk(asked)).body, named, name);
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

const OF_JSON = needs('chunker/table', 'chunker/json');
t.test('the options of each chunker stand under its name', OF_JSON, async (t) => {
  const contexts = async (table: object) => {
    const { body } = await chunk({ text: TEXTS.table, chunk_size: 40, table });
    return (body as Answered[]).map(({ context }) => context);
  };
  t.same(await contexts({}), [undefined, 'city,people,founded']);
  t.same(await contexts({ carry: 'none' }), [undefined, undefined]);
  const broken = { text: '{"a": 1, // x\n}', filename: 'a.json' };
  t.equal((await chunk(broken)).header, orRecursive('code'));
  t.equal((await chunk({ ...broken, json: { tolerant: true } })).header, 'json');
});

const WRONG: readonly (readonly [options: object, problem: string])[] = [
  [{ markdown: { split_level: 9 } }, 'markdown.split_level: expected an integer from 0 to 6, got 9'],
  [{ markdown: { split_levle: 1 } }, 'markdown.split_levle: unknown parameter, did you mean "split_level"?'],
  [{ markdown: 3 }, 'markdown: expected an object, got 3'],
  [{ markdown: { chunk_size: 3 } }, 'markdown.chunk_size: unknown parameter'],
  [{ chunk_size: 10, recursive: { chunk_overlap: 10 } }, 'expected less than chunk_size (10), got 10'],
  [{ table: { rows_per_chunk: 3, min_chunk_size: 4 } }, 'cannot be given together with min_chunk_size'],
  [{ recursive: { delimiters: Array(20_000).fill('a') } }, 'recursive.delimiters: 20000 entries, over'],
];

const NEEDED = needs('chunker/markdown', 'chunker/table');
t.test('what is wrong with an option is said with its place', NEEDED, (t) => checkRefusals(t, 'auto', WRONG));

t.test('options that exclude each other may both be at their defaults', needs('chunker/table'), async (t) => {
  t.equal((await chunk({ text: TEXTS.table, table: { rows_per_chunk: 1 } })).header, 'table');
});

t.test('a class above chunk_size is split, unless it is wanted whole', needs('chunker/code'), async (t) => {
  const methods = Array.from({ length: 9 }, (_, at) => `    def m${at}(self):\n        return ${at}\n`);
  const asked = { text: `class Large:\n${methods.join('')}`, filename: 'large.py', chunk_size: 60 };
  const counts = async (more: object) =>
    ((await chunk({ ...asked, ...more })).body as { token_count: number }[]).map((one) => one.token_count);
  for (const code of [undefined, {}, { language: 'python' }, { oversize: 'members' }, { oversize: 'split' }])
    t.ok(Math.max(...(await counts({ code }))) <= 60, JSON.stringify(code));
  t.same(await counts({ code: { oversize: 'keep' } }), [asked.text.length], 'as code does by default');
});

t.test('numbered headings are an option for prose and Markdown', needs('chunker/markdown'), async (t) => {
  const sections = ['§ 1 Scope', '§ 2 Terms'].map((name) => `${name}\n\nHere is what it says.\n\n`);
  for (const text of [sections.join(''), `# Law\n\n${sections.join('')}`]) {
    const pathsOf = async (more: object) =>
      ((await chunk({ text, chunk_size: 50, ...more })).body as { heading_path?: string[] }[]).map((one) =>
        one.heading_path?.at(-1),
      );
    t.match(await pathsOf({ numbered_headings: true }), [/Law|1/, /§ [12]/]);
    t.notMatch(String(await pathsOf({})), '§');
  }
});

t.test('diffs and logs are cut by recipes, unless the options say how to cut', async (t) => {
  const hunk = (at: number) => `@@ -${at} +${at} @@\n-// old ${at}\n+// new ${at}\n`;
  const diff = `--- a/src/tea.ts\n+++ b/src/tea.ts\n${[1, 20, 40, 60].map(hunk).join('')}`;
  const entry = (at: number) =>
    `2026-11-27 22:50:${at} ERROR no water. Or no tea?\n\tat com.example.Tea.boil\n`;
  const log = [39, 40, 41].map(entry).join('');
  const chunksOf = async (more: object) => {
    const answer = await chunk({ chunk_size: 80, ...more });
    t.equal(answer.header, 'recursive');
    return answer.body as (Answered & { heading_path?: string[] })[][];
  };
  const [hunks = [], entries = []] = await chunksOf({ text: [diff, log] });
  t.same(
    entries.map(({ text }) => text),
    [39, 40, 41].map(entry),
  );
  t.same(
    hunks.map(({ text }) => text.match(/^@@/gm)?.length),
    [1, 2, 1],
  );
  t.ok(hunks.every(({ heading_path }) => heading_path?.join() === 'src/tea.ts'));
  for (const recursive of [{ recipe: 'python' }, { delimiters: ['? '] }, { levels: [['. ']] }]) {
    const [own = []] = await chunksOf({ text: [diff], recursive });
    t.notOk(own.some((one) => 'heading_path' in one));
  }
  const documents = [
    { text: log, filename: 'a.patch' },
    { text: diff, id: 'a.log' },
  ];
  const [named = []] = await chunksOf({ documents });
  t.ok(
    named.every(({ heading_path }) => heading_path?.length === 0),
    'the name decides',
  );
});

t.test('a server without some of them chooses among the others', needs('chunker/json'), async (t) => {
  const few = await startServer(t, { plugins: ['auto', 'json', 'character'] });
  const answer = await few.post('/v1/chunk/auto', { text: [TEXTS.markdown, TEXTS.json] });
  t.equal(answer.headers.get('x-auto-chunker'), 'recursive, json');
  const refused = await few.post('/v1/chunk/auto', { text: 'a', markdown: {} });
  t.equal(refused.status, 400, 'it does not take options of what is not there');
  t.match(JSON.stringify(refused.json()), 'markdown: unknown parameter');
  const plugins = (await few.get('/v1/plugins')).json<object[]>();
  t.equal(plugins.length, 4, 'auto, json, recursive and the tokenizer');
});
