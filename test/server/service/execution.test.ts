import t from 'tap';
import type { PipelineStep } from '../../../server/store/contract.ts';
import { needs } from '../../support/here.ts';
import { FIXTURES } from '../../support/plugins.ts';
import { composeQuietly, runTask } from '../../support/service.ts';

const { service } = await composeQuietly({ pluginsDir: [FIXTURES] });
const FIELDS = ['id', 'context', 'embedding', 'text', 'start_index', 'end_index', 'token_count'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface OutputChunk {
  readonly id: string;
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  readonly context: string | null;
  readonly embedding: number[] | null;
}

async function execute<T extends string | string[]>(steps: readonly PipelineStep[], text: T) {
  const answer = await runTask(service, { run: 'execute', steps }, { text });
  return JSON.parse(Buffer.from(answer.bytes).toString()) as T extends string
    ? OutputChunk[]
    : OutputChunk[][];
}

const chunk = (chunker: string | null, config: Record<string, unknown> = {}): PipelineStep => ({
  type: 'chunk',
  chunker,
  refinery: null,
  config,
});
const refine = (refinery: string | null, config: Record<string, unknown> = {}): PipelineStep => ({
  type: 'refine',
  chunker: null,
  refinery,
  config,
});

const TEXT =
  'One sentence 😀 here. Another sentence there.\n\nA second paragraph. It repeats. It repeats. It repeats.';
const codePoints = (text: string, { start_index, end_index }: OutputChunk) =>
  Array.from(text).slice(start_index, end_index).join('');

t.test('a chunk carries the seven fields, empty ones null', async (t) => {
  const chunks = await execute([chunk('paragraph', { chunk_size: 40 })], TEXT);
  for (const output of chunks) {
    t.same(Object.keys(output).sort(), [...FIELDS].sort());
    t.match(output.id, UUID);
    t.equal(output.context, null);
    t.equal(output.embedding, null);
    t.equal(codePoints(TEXT, output), output.text);
  }
  t.equal(chunks.map(({ text }) => text).join(''), TEXT);
});

t.test('a chunk step after a chunk step splits further and keeps offsets into the text', async (t) => {
  const steps = [chunk('paragraph', { chunk_size: 50 }), chunk('token', { chunk_size: 7 })];
  const chunks = await execute(steps, `${TEXT}\n\n   \n\n${TEXT}`);
  t.equal(
    chunks.map(({ text }) => text).join(''),
    `${TEXT}\n\n   \n\n${TEXT}`,
    'white space between is kept',
  );
  for (const output of chunks) {
    t.equal(codePoints(`${TEXT}\n\n   \n\n${TEXT}`, output), output.text);
    t.ok(output.token_count <= 7);
  }
});

t.test(
  'refine steps enrich, and a later chunk step splits the text itself again',
  needs('refinery/overlap'),
  async (t) => {
    const refined = await execute(
      [chunk('token', { chunk_size: 30 }), refine('overlap', { context_size: 5 })],
      TEXT,
    );
    refined.forEach((output, index) => {
      const next = refined[index + 1];
      t.equal(output.context, next === undefined ? null : codePoints(TEXT, next).slice(0, 5));
      t.equal(output.text, codePoints(TEXT, output) + (output.context ?? ''));
    });
    const steps = [
      chunk('token', { chunk_size: 30 }),
      refine('overlap', { context_size: 5 }),
      chunk('token', { chunk_size: 9 }),
    ];
    const chunks = await execute(steps, TEXT);
    t.equal(chunks.map(({ text }) => text).join(''), TEXT);
    t.ok(chunks.every(({ context }) => context === null));
    const twice = await execute(
      [...steps.slice(0, 2), refine('overlap', { method: 'prefix', context_size: 3 })],
      TEXT,
    );
    t.equal(twice.length, refined.length, 'several refineries follow each other');
  },
);

t.test('ids follow from the steps, the text and the place', async (t) => {
  const steps = [chunk('token', { chunk_size: 12, chunk_overlap: 0 })];
  const text = 'Once here: 😀It repeats. It repeats. It repeats.';
  const first = await execute(steps, text);
  t.same(await execute(steps, text), first, 'a second run gives the same');
  const ids = first.map(({ id }) => id);
  t.equal(new Set(ids).size, ids.length, 'repeats in one document are told apart');
  t.ok(first.filter(({ text }) => text === 'It repeats. ').length > 1);
  const reordered = [chunk('token', { chunk_overlap: 0, chunk_size: 12 })];
  t.same(
    (await execute(reordered, text)).map(({ id }) => id),
    ids,
    'the order of members does not count',
  );
  const [, inBatch] = await execute(steps, ['other', text]);
  t.same(
    inBatch?.map(({ id }) => id),
    ids,
    'nor the other documents of a batch',
  );
  const others = [chunk('token', { chunk_size: 13, chunk_overlap: 0 })];
  t.notSame(
    (await execute(others, text)).map(({ id }) => id),
    ids,
    'but the steps do',
  );
  t.not((await execute(steps, `${text} `))[0]?.id, ids[0], 'and the text');
});

t.test('batches and texts without content', async (t) => {
  const steps = [chunk('token', { chunk_size: 5, offset_unit: 'utf16' }), refine('shout')];
  t.same(await execute(steps, ''), []);
  t.same(
    (await execute(steps, ['', '😀b', '  \n'])).map((chunks) => chunks.length),
    [0, 1, 0],
  );
  t.equal((await execute(steps, '😀b'))[0]?.end_index, 3, 'the unit of the last chunk step');
});

t.test('what cannot be executed is refused with its step', async (t) => {
  const refused: [PipelineStep[], RegExp][] = [
    [[], /steps: the pipeline has none/],
    [[refine('shout')], /steps\[0\]: a refine step needs chunks/],
    [[refine('shout'), chunk('token')], /steps\[0\]: a refine step needs chunks/],
    [[chunk(null)], /steps\[0\]\.chunker: missing/],
    [[chunk('token'), refine(null)], /steps\[1\]\.refinery: missing/],
    [[chunk('tokn')], /steps\[0\]\.chunker: there is no chunker "tokn"; known are .*token/],
    [[chunk('token'), refine('x')], /steps\[1\]\.refinery: there is no refinery "x"/],
    [
      [chunk('token'), chunk('paragraph', { chunk_size: 0 })],
      /steps\[1\]\.config\.chunk_size: expected an integer of at least 1, got 0/,
    ],
    [
      [chunk('token', { chunk_sise: 1 })],
      /steps\[0\]\.config\.chunk_sise: unknown parameter, did you mean "chunk_size"\?/,
    ],
    [[chunk('token', { text: 'x' })], /steps\[0\]\.config\.text: unknown parameter/],
  ];
  for (const [steps, message] of refused) {
    await t.rejects(execute(steps, TEXT), { code: 'invalid_parameters', status: 400, message });
  }
  await t.rejects(execute([chunk('token', { tokenizer: 'no-such' })], TEXT), {
    status: 400,
    message: /no-such/,
  });
});

t.test('ids do not depend on how the sender escaped the text', async (t) => {
  const steps = [chunk('paragraph')];
  const text = 'A café / 茶 "quoted" 😀.\nNext line.';
  const spelled = [
    JSON.stringify(text),
    JSON.stringify(text).replaceAll('/', '\\/'),
    `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`,
  ];
  const ids = await Promise.all(
    spelled.map(async (literal) => {
      const body = Buffer.from(`{"text":${literal}}`);
      const { bytes } = await runTask(service, { run: 'execute', steps }, body);
      const answer = JSON.parse(Buffer.from(bytes).toString()) as OutputChunk[];
      t.equal(answer.map((output) => output.text).join(''), text);
      return answer.map(({ id }) => id).join();
    }),
  );
  t.equal(new Set(ids).size, 1);
});
