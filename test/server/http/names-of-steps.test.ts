import { randomUUID } from 'node:crypto';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** Steps that are stored, or that a job is to run, name recipes, tokenizers, languages and models that exist. */

const bulkRoot = await temporaryFolder(t, { 'a.txt': 'Tea.' });
const { post, send, get } = await startServer(t, { bulkRoot });

const put = (path: string, body: object) =>
  send(path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const NEEDS = needs(
  'chunker/recursive',
  'chunker/code',
  'chunker/sentence',
  'chunker/markdown',
  'refinery/embeddings',
);
const chunk = (chunker: string, config: object) => ({ type: 'chunk', chunker, config });
const UNKNOWN = [
  chunk('recursive', { recipe: 'markdwn', tokenizer: 'gpt44' }),
  chunk('code', { language: 'pyton' }),
  { type: 'refine', refinery: 'embeddings', config: { embedding_model: 'no-model' } },
];
const OF_NAMES = [
  /steps\[0\]\.config\.recipe: there is no recipe "markdwn"; available: .*markdown/,
  /steps\[0\]\.config\.tokenizer: there is no tokenizer "gpt44"; available: .*Did you mean "gpt-4/,
  /steps\[1\]\.config\.language: there is no language "pyton"; available: .*python/,
  /steps\[2\]\.config\.embedding_model: there is no model "no-model" here; available: /,
];

t.test('a pipeline is not stored with unknown names, nor changed to have them', NEEDS, async (t) => {
  const { id } = (await post('/v1/pipelines', { name: 'known', steps: [chunk('recursive', {})] })).json<{
    id: string;
  }>();
  const writes = [
    (body: object) => post('/v1/pipelines', { name: 'unknown', ...body }),
    (body: object) => put(`/v1/pipelines/${id}`, body),
    (body: object) => put('/v1/pipelines?name=unknown', body),
  ];
  for (const write of writes) {
    checkProblem(t, await write({ steps: UNKNOWN }), 400, OF_NAMES);
    const wrong = { steps: [...UNKNOWN, chunk('recursive', { chunk_size: 0 })], descripton: 'x' };
    checkProblem(t, await write(wrong), 400, [
      ...OF_NAMES,
      /descripton: /,
      /steps\[3\]\.config\.chunk_size: /,
    ]);
  }
  t.equal((await get('/v1/pipelines')).json<unknown[]>().length, 1);
  t.match((await get(`/v1/pipelines/${id}`)).json(), { config: { steps: [{ config: {} }] } });
});

t.test('names of another server are stored on request, and unknown once they are used', NEEDS, async (t) => {
  const stored = await post('/v1/pipelines', { name: 'elsewhere', steps: UNKNOWN, allow_missing: true });
  t.equal(stored.status, 201, stored.bytes.toString());
  const { id } = stored.json<{ id: string }>();
  t.match((await get(`/v1/pipelines/${id}`)).json(), { config: { steps: UNKNOWN } });
  t.equal((await put(`/v1/pipelines/${id}`, { description: 'Its steps are not changed.' })).status, 200);
  checkProblem(t, await post(`/v1/pipelines/${id}/execute`, { text: 'Tea' }), 400, OF_NAMES);
  const job = { source: { path: 'a.txt' }, pipeline: 'elsewhere' };
  checkProblem(t, await post('/v1/jobs', job), 400, OF_NAMES);
  checkProblem(t, await put(`/v1/pipelines/${id}`, { steps: UNKNOWN }), 400, OF_NAMES);
});

t.test('a job is not begun with unknown names', NEEDS, async (t) => {
  const source = { path: 'a.txt' };
  checkProblem(t, await post('/v1/jobs', { source, steps: UNKNOWN }), 400, OF_NAMES);
  const wrong = { source: { path: 'a.txt', formt: 'csv' }, steps: UNKNOWN, group: 'x', prune: true };
  const own = [/source\.formt: /, /group: expected one of/];
  checkProblem(t, await post('/v1/jobs', wrong), 400, [...OF_NAMES, ...own]);
  const first = { source, steps: [UNKNOWN[2], UNKNOWN[0]], callback: 'http://127.0.0.1/' };
  checkProblem(t, await post('/v1/jobs', first), 400, [
    /steps\[0\]: a refine step needs chunks/,
    /callback: /,
  ]);
  t.equal((await get('/v1/jobs')).json<unknown[]>().length, 0);
  const key = { 'idempotency-key': randomUUID() };
  const known = { source, steps: [chunk('recursive', { recipe: 'markdown' })] };
  t.equal((await post('/v1/jobs', known, key)).status, 202);
});

const LONG = 'x'.repeat(21);
t.test('what is over a limit is told beside everything else', NEEDS, async (t) => {
  const { post: ask } = await startServer(t, { maxCharacters: 20, maxDocuments: 2 });
  const size = /chunk_size: expected an integer/;
  const recipe = /recipe: there is no recipe "markdwn".*did you mean "markdown"/;
  const many = { delim: Array(101).fill('a'), tokenizer: 'gpt44', chunk_size: 0 };
  const twice = [
    { id: 'a', text: 'a' },
    { id: 'a', text: 'b' },
  ];
  for (const [path, body, ...says] of [
    [
      'chunk/recursive',
      { text: LONG, recipe: 'markdwn', chunk_size: 0 },
      /text: 21 characters/,
      size,
      recipe,
    ],
    ['chunk/recursive', { text: LONG, recipe: 'markdwn' }, /text: 21 characters/, recipe],
    ['chunk/recursive', { documents: twice, chunk_size: 0 }, /documents\[1\]\.id: .* same id/, size],
    [
      'chunk/recursive',
      { text: 'a', chunk_size: 0, include: ['lins'] },
      size,
      /include\[0\]: expected one of/,
    ],
    [
      'chunk/recursive',
      { documents: [{ txt: 'a' }] },
      /documents\[0\]\.txt: .*did you mean "text"/,
      /\.text: missing/,
    ],
    ['chunk/sentence', { text: 'a', ...many }, /delim: 101 entries/, size, /tokenizer: there is no/],
    [
      'embed',
      { text: ['a', 'b', 'c'], embedding_model: 'no-model' },
      /text: 3 texts/,
      /embedding_model: there/,
    ],
    [
      'presets/docs/execute',
      { text: 'a', foo: 1, override: { auto: { chunk_size: 0, tokenizer: 'gpt44' } } },
      /foo: unknown/,
      /override\.auto\.chunk_size: /,
      /override\.auto\.tokenizer: there is no/,
    ],
  ] as const)
    checkProblem(t, await ask(`/v1/${path}`, body), 400, says);
});
