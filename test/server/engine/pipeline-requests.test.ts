import t, { type Test } from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { readChanges, readNew, readWhole } from '../../../server/http/pipelines/read.ts';
import { create, pipelineExamples } from '../../../server/http/pipelines/schemas.ts';
import { chunker, FIXTURES, pluginsFolder, refinery, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { openService } from '../../support/service.ts';
import { STEPS } from './pipelines.ts';

/** What requests that store pipelines may say, and how their steps are checked. */

const options = { type: 'object', properties: { level: { type: 'integer', minimum: 1 } } };
const folder = await pluginsFolder(
  t,
  chunker('whole-text', WHOLE_TEXT),
  chunker('levels', WHOLE_TEXT, { options }),
  chunker('lacking', WHOLE_TEXT, { options, needs: { packages: ['no-such-package'] } }),
  refinery('shout-out', 'return [...chunks];'),
);
const { service, execute } = await openService(t, { pluginsDir: [FIXTURES, folder] });

const bytesOf = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const created = (body: unknown, given = service) => readNew(bytesOf(body), given);
const changed = (body: unknown) => readChanges(bytesOf(body), service);
const put = (query: object, body: unknown) => readWhole(bytesOf(body), query, service);

/** What a request is refused with. */
async function detailOf(read: () => Promise<unknown>): Promise<string> {
  try {
    return `taken: ${JSON.stringify(await read())}`;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    return error.detail;
  }
}

type Patterns = RegExp | readonly RegExp[];

async function refuses(t: Test, read: () => Promise<unknown>, patterns: Patterns): Promise<void> {
  const detail = await detailOf(read);
  for (const pattern of [patterns].flat()) t.match(detail, pattern);
}

const steps = (...all: unknown[]) => ({ name: 'x', steps: all });
const token = (config: object) => ({ type: 'chunk', chunker: 'token', config });
const withConfig = (a: string) => `{"name":"x","steps":[{"type":"chunk","config":{"a":${a}}}]}`;
const BAD: readonly [body: unknown, ...patterns: RegExp[]][] = [
  ['', /body is empty/],
  ['{', /not valid JSON/],
  ['{"name": "x", "steps": [],}', /not valid JSON/],
  ['[]', /body: expected an object, got an empty list/],
  ['null', /body: expected an object, got null/],
  [{ name: 'x', step: [] }, /step: unknown parameter, did you mean "steps"/],
  [{ name: 7, steps: {} }, /name: expected a string of 1 to 255 .*, got 7/, /steps: expected a list/],
  [{ name: '', steps: null, description: 5 }, /name:/, /steps:/, /description: expected a string or null/],
  [{ name: 'x'.repeat(256), steps: [] }, /name: expected a string of 1 to 255/],
  [{ name: 'a\0b', steps: [], description: '\ud800' }, /name: expected text without NUL/, /description: /],
  [steps(...Array(101).fill(STEPS[0])), /at most 100 steps, got 101/],
  [steps(5, null), /steps\[0\]: expected an object, got 5/, /steps\[1\]: expected an object, got null/],
  [steps({}), /steps\[0\]\.type: missing, expected one of "chunk", "refine"/],
  [steps({ type: 'chunking' }), /steps\[0\]\.type: expected one of "chunk", "refine", got "chunking"/],
  [
    steps({ type: 'chunk', chunker: 5, config: [] }),
    /steps\[0\]\.chunker: expected a string or null, got 5/,
    /steps\[0\]\.config: expected an object, got an empty list/,
  ],
  [steps({ type: 'chunk', chunkr: 'token' }), /steps\[0\]\.chunkr: .*did you mean "chunker"/],
  [steps({ type: 'chunk', config: null }), /steps\[0\]\.config: expected an object, got null/],
  [
    steps(STEPS[0], token({ chunk_size: '5', chunk_sise: 5 })),
    /steps\[1\]\.config\.chunk_size: expected an integer/,
    /steps\[1\]\.config\.chunk_sise: .*"chunk_size"/,
  ],
  [steps(token({ chunk_size: 5, chunk_overlap: 5 })), /config\.chunk_overlap: .* less than .* \(5\), got 5/],
  [withConfig('[1e999]'), /steps\[0\]\.config\.a\[0\]: .*too large/],
  [withConfig(`${'['.repeat(5000)}${']'.repeat(5000)}`), /100 levels/],
];

t.test('bad bodies are refused with all their problems', async (t) => {
  for (const [body, ...patterns] of BAD) {
    for (const read of [created, changed]) await refuses(t, () => read(body), patterns);
  }
  await refuses(t, () => created({}), [/name: missing/, /steps: missing/]);
  t.same(await changed({}), {}, 'what changes nothing may be empty');
  await refuses(t, () => changed({ name: null }), /name: expected a string/);
});

t.test('what is wrong with a PUT by name is said at once', async (t) => {
  for (const [query, body, patterns] of [
    [{}, { steps: [] }, /query\.name: missing, expected a string of 1 to 255 characters/],
    [{ name: '' }, { steps: [] }, /query\.name: expected a string of 1 to 255/],
    [{ name: ['a', 'b'] }, { steps: [] }, /query\.name: expected a string.*got a list/],
    [{ name: 'a\0' }, { steps: [] }, /query\.name: expected text without NUL/],
    [{ nam: 'a' }, {}, [/query\.nam: unknown parameter, did you mean "name"/, /steps: missing/]],
    [{ name: 'a' }, { name: 'b', steps: [] }, /name: expected the name in the query, "a", or none, got "b"/],
    [{ name: 'a' }, { description: 'x' }, /steps: missing/],
    [{ name: 'a' }, steps({ type: 'chunk', chunker: 'tokn' }), /did you mean "token"/],
  ] as const) {
    await refuses(t, () => put(query, body), patterns);
  }
  t.same(await put({ name: 'a' }, { steps: [] }), { name: 'a', description: null, steps: [] });
});

t.test('what is refused only when it is executed is read as it is stored', async (t) => {
  const odd = [
    { type: 'refine' },
    { type: 'chunk', refinery: 'shout' },
    { type: 'chunk', chunker: '', refinery: null },
    { type: 'chunk', chunker: 'unknown', config: { x: '\0\ud800' } },
  ];
  const nothing = { chunker: null, refinery: null, config: {} };
  t.same((await created({ ...steps(...odd), allow_missing: true })).steps, [
    { ...nothing, type: 'refine' },
    { ...nothing, type: 'chunk' },
    { ...nothing, type: 'chunk', chunker: '' },
    { ...nothing, type: 'chunk', chunker: 'unknown', config: { x: '\0\ud800' } },
  ]);
  const none = { name: 'none', description: null, steps: [] };
  t.same(await created(none), none);
});

t.test("a step is checked with its plugin's own options, of drop-ins too", async (t) => {
  for (const name of ['levels', 'lacking']) {
    const given = (level: number) => steps({ type: 'chunk', chunker: name, config: { level } });
    t.match((await created(given(1))).steps, [{ config: { level: 1 } }]);
    const refusal = /^steps\[0\]\.config\.level: expected an integer of at least 1, got 0\.$/;
    await refuses(t, () => created(given(0)), refusal);
  }
});

t.test('a step whose plugin does not exist is refused, with the list and the closest name', async (t) => {
  const all = [
    { type: 'chunk', chunker: 'tokn' },
    { type: 'refine', refinery: 'zzz-nothing-like-it' },
  ];
  const refused = [
    /steps\[0\]\.chunker: there is no chunker "tokn"; available: .*token.* \(did you mean "token"\?\)/,
    /steps\[1\]\.refinery: there is no refinery "zzz-nothing-like-it"; available: .*shout/,
    /allow_missing/,
  ];
  const given = { name: 'x', steps: all };
  for (const read of [created, changed, (body: unknown) => put({ name: 'x' }, body)]) {
    await refuses(t, () => read(given), refused);
    const kept = await read({ ...given, allow_missing: true });
    t.match(kept.steps, all);
    t.notOk('allow_missing' in kept);
    await refuses(t, () => read({ ...given, allow_missing: 'yes' }), /allow_missing: expected true or false/);
  }
  const executed = await execute([{ type: 'chunk', chunker: 'tokn' }], { text: 'a' });
  checkProblem(t, executed, 400, /no chunker "tokn"/);
});

t.test('a pipeline runs once its plugin is there, and not when it has gone', async (t) => {
  const without = await openService(t);
  const given = { ...steps({ type: 'chunk', chunker: 'whole-text' }), allow_missing: true };
  const pipeline = await readNew(bytesOf(given), without.service);
  const text = 'one whole text';
  t.match((await execute(pipeline.steps, { text })).json(), [{ text }]);
  checkProblem(t, await without.execute(pipeline.steps, { text }), 400, /there is no chunker "whole-text"/);
});

const SPELLED =
  'names of steps are taken in any case and as classes are called, and stored as the plugin has them';
t.test(SPELLED, async (t) => {
  const text = 'Some words. More words.';
  for (const [chunkerName, refineryName, own] of [
    ['Token', 'ShoutOut', 'token'],
    ['TOKEN', 'SHOUT-OUT', 'token'],
    ['TokenChunker', 'ShoutOutRefinery', 'token'],
    ['token_chunker', 'shout-out-refinery', 'token'],
    ['WholeText', 'shout_out', 'whole-text'],
    ['WholeTextChunker', 'shout_out', 'whole-text'],
    ['whole_text', 'shout_out', 'whole-text'],
  ] as const) {
    const chunked = { type: 'chunk', chunker: chunkerName } as const;
    const given = [chunked, { type: 'refine', refinery: refineryName }] as const;
    const { steps: stored } = await created(steps(...given));
    t.match(stored, [{ chunker: own }, { refinery: 'shout-out' }]);
    for (const all of [stored, given]) t.equal((await execute(all, { text })).status, 200);
  }
  const wrong = steps({ type: 'chunk', chunker: 'Token', config: { chunk_size: '512' } });
  await refuses(t, () => created(wrong), /steps\[0\]\.config\.chunk_size: expected an integer/);
});

t.test('a pipeline has at most 100 steps, and the documentation says so', async (t) => {
  const many = (count: number) => steps(...new Array(count).fill({ type: 'chunk', chunker: 'token' }));
  t.equal((await created(many(100))).steps.length, 100);
  await refuses(t, () => created(many(101)), /at most 100 steps/);
  t.match(create(pipelineExamples([])).body, { properties: { steps: { maxItems: 100 } } });
});
