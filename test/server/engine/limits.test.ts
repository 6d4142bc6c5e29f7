import t, { type Test } from 'tap';
import { type ByteWriter, writeWithin } from '../../../server/engine/answer/byte-writer.ts';
import { readForm } from '../../../server/engine/read/file-form.ts';
import type { FileTask } from '../../../server/engine/tasks.ts';
import { LETTERS } from '../../support/evaluation.ts';
import { needs } from '../../support/here.ts';
import { FIXTURES, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { chunkStep, composeQuietly, openService, runTask } from '../../support/service.ts';
import { failure } from '../../support/stores.ts';

/** Limits of requests and of answers; what is refused costs no more than what it weighs. */

const CHUNK = { text: 'a', start_index: 0, end_index: 1, token_count: 1 };
const DOCUMENT = { text: 'a'.repeat(10) };
const LONG = 'a'.repeat(11);
const MODEL = { embedding_model: 'letters' };

const OF_CHARACTERS = /: 11 characters, over the limit of 10; .*--max-characters\.$/;
const OF_TEXTS = /^text: 3 texts, over the limit of 2; .*--max-documents\.$/;
const OF_CHUNKS = /^chunks: 4 chunks, over the limit of 3; .*--max-chunks\.$/;
const OVER: readonly [path: string, body: object, problem: RegExp | RegExp[]][] = [
  ['chunk/token', { text: ['a', 'b', 'c'] }, OF_TEXTS],
  ['chunk/token', { text: LONG }, [/^text:/, OF_CHARACTERS]],
  ['chunk/token', { text: ['a', LONG] }, [/^text\[1\]:/, OF_CHARACTERS]],
  ['chunk/token', { documents: [DOCUMENT, { text: LONG }] }, [/^documents\[1\]\.text:/, OF_CHARACTERS]],
  [
    'chunk/token',
    { documents: Array(3).fill(DOCUMENT) },
    /^documents: 3 documents, .* 2; .*--max-documents\.$/,
  ],
  ['refine/shout', { chunks: Array(4).fill(CHUNK) }, OF_CHUNKS],
  ['refine/shout', { chunks: Array(2).fill([CHUNK, CHUNK]) }, OF_CHUNKS],
  ['refine/shout', { chunks: [[], [], []] }, /^chunks: 3 lists, over the limit of 2; .*--max-documents\.$/],
  ['embed', { text: ['a', 'b', 'c'], ...MODEL }, OF_TEXTS],
  ['embed', { text: LONG, ...MODEL }, [/^text:/, OF_CHARACTERS]],
  ['tokenize', { text: ['a', 'b', 'c'] }, OF_TEXTS],
  ['tokenize', { text: LONG }, [/^text:/, OF_CHARACTERS]],
];

t.test('what is over a limit is named with its number, the limit and the flag', async (t) => {
  const pluginsDir = [FIXTURES, await pluginsFolder(t, LETTERS)];
  const limits = { maxDocuments: 2, maxCharacters: 10, maxChunks: 3 };
  const { post } = await openService(t, { ...limits, pluginsDir });
  for (const [path, body, problem] of OVER) checkProblem(t, await post(`/v1/${path}`, body), 400, problem);
  for (const documents of [[], [DOCUMENT, DOCUMENT]])
    t.equal((await post('/v1/chunk/token', { documents })).status, 200);
  t.equal((await post('/v1/refine/shout', { chunks: [[CHUNK, CHUNK], [CHUNK]] })).status, 200);
  const small = await openService(t, { maxAnswerBytes: 500, pluginsDir });
  const answer = await small.post('/v1/embed', { text: Array(500).fill('a'), ...MODEL });
  checkProblem(t, answer, 400, /^The answer would take at least \d+ bytes/);
});

const DELIMITERS = 'a list of delimiters has at most 100 entries of 100 characters, and the schema says so';
t.test(DELIMITERS, needs('chunker/sentence'), async (t) => {
  const { post, execute, registry, requestSchemas } = await openService(t);
  const long = (extra: number) => 'x'.repeat(100 + extra);
  const many = (extra: number) => Array.from({ length: 100 + extra }, (_, index) => `.${index}`);
  for (const delim of [many(0), [long(0)], long(0)])
    t.equal((await post('/v1/chunk/sentence', { text: 'a', delim })).status, 200);
  for (const [delim, problem] of [
    [many(1), /^delim: 101 entries, over the limit of 100; send fewer/],
    [[long(1)], /^delim\[0\]: 101 characters, over the limit of 100; send fewer/],
    [long(1), /^delim: expected a string of 1 to 100 characters/],
  ] as const) {
    checkProblem(t, await post('/v1/chunk/sentence', { text: 'a', delim }), 400, problem);
  }
  const step = await execute([chunkStep('sentence', { delim: many(1) })], { text: 'a' });
  checkProblem(t, step, 400, /^steps\[0\]\.config\.delim: 101 entries/);
  const { properties } = requestSchemas.step(registry.require('chunker', 'sentence').manifest);
  const { anyOf } = properties.delim as { anyOf: { maxItems?: number; maxLength?: number }[] };
  t.ok(anyOf.some(({ maxItems }) => maxItems === 100));
  t.ok(anyOf.some(({ maxLength }) => maxLength === 100));
});

/** Bytes of the arrays that answers are written into, from now on. */
function allocatedBytes(t: Test): () => number {
  const allocate = Buffer.allocUnsafeSlow;
  let bytes = 0;
  t.intercept(Buffer, 'allocUnsafeSlow', {
    value: (size: number) => {
      bytes += size;
      return allocate(size);
    },
  });
  return () => bytes;
}

t.test('an answer of 16 GB is refused before memory is taken for it', async (t) => {
  const { service } = await composeQuietly();
  const allocated = allocatedBytes(t);
  const documents = [{ text: 'ab'.repeat(500_000), metadata: { a: 'x'.repeat(16_000) } }];
  const refused = runTask(service, { run: 'chunk', name: 'token' }, { documents, chunk_size: 1 });
  const message = /at least 16\d{9} bytes, over the limit of 1073741824/;
  await t.rejects(refused, { code: 'answer_too_large', message });
  t.ok(allocated() < 10_000_000, `${allocated()} bytes`);
});

t.test('an answer of unknown size is counted, and refused as soon as it is too large', async (t) => {
  const allocated = allocatedBytes(t);
  const part = 'a'.repeat(1_000_000);
  let parts = 0;
  const write = (writer: ByteWriter) => {
    for (let count = 0; count < 2000; count++, parts++) writer.ascii(part);
  };
  t.throws(() => writeWithin(500_000_000, 0, write), { code: 'answer_too_large' });
  t.ok(parts < 700, 'the rest is not written');
  t.ok(allocated() < 300_000_000, `${allocated()} bytes`);
});

t.test('an answer that is counted first is the same', async (t) => {
  const part = JSON.stringify('é😀"\n'.repeat(100_000));
  const write = (count: number) =>
    writeWithin(1_000_000_000, 0, (writer) => {
      for (let at = 0; at < count; at++) {
        writer.json(part);
        writer.number(at);
        writer.characters('é\n');
      }
    });
  const large = Buffer.from(write(100));
  t.ok(large.length > 67_108_864);
  const one = (at: number) => `${part}${at}é\\n`;
  t.equal(large.toString(), Array.from({ length: 100 }, (_, at) => one(at)).join(''));
  t.equal(Buffer.from(write(1)).toString(), one(0));
});

async function formOf(count: number) {
  const form = new FormData();
  for (let at = 0; at < count; at++) form.append(`field${at}`, 'x');
  form.append('file', new File(['abc'], 'a.txt'));
  const response = new Response(form);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const contentType = response.headers.get('content-type') as string;
  return readForm({ contentType, query: {} } as unknown as FileTask, bytes, [...form.keys()]);
}

t.test('a form with more fields than any request has is refused', async (t) => {
  t.equal(Object.keys((await formOf(900)).fields).length, 900);
  t.equal(await failure(formOf(50_000)), 'invalid_parameters');
});
