import t from 'tap';
import { needs } from '../../support/here.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer } from '../../support/server.ts';

/** Unknown names are reported together with what the schema refuses, and with each other. */

const RECIPE = /recipe: there is no recipe "markdwn"; available: /;
const TOKENIZER = /tokenizer: there is no tokenizer "gpt44"; available: /;
const MODEL = /embedding_model: there is no model "no-model" here/;
const SIZE = /chunk_size: expected an integer of at least 1, got 0/;
const MISTYPED = /chunk_sise: unknown parameter, did you mean "chunk_size"\?/;
const LANGUAGE = /language: there is no language "pyton"; available: /;
const names = { recipe: 'markdwn', tokenizer: 'gpt44' };
const model = { embedding_model: 'no-model' };

/** On the event loop, and in a worker. */
const servers = [await startServer(t), await startServer(t, { workers: 1, inlineBytes: 0 })];

/** What each server answers with 400. */
async function refuses(
  t: Parameters<typeof checkProblem>[0],
  path: string,
  body: unknown,
  ...says: RegExp[]
) {
  for (const { post } of servers) checkProblem(t, await post(path, body), 400, says);
}

t.test('of a chunker', needs('chunker/recursive', 'chunker/code'), async (t) => {
  const recursive = (options: object, ...says: RegExp[]) =>
    refuses(t, '/v1/chunk/recursive', { text: 'Tea', ...options }, ...says);
  const code = (options: object, ...says: RegExp[]) =>
    refuses(t, '/v1/chunk/code', { text: 'Tea', ...options }, ...says);
  await recursive({ ...names, chunk_size: 0 }, SIZE, RECIPE, TOKENIZER);
  await recursive(names, RECIPE, TOKENIZER);
  await recursive({ recipe: 'markdwn' }, /^recipe: [^;]*; available: [^;]*\.$/);
  await recursive({ chunk_sise: 0, tokenizer: 'gpt44' }, MISTYPED, TOKENIZER);
  await recursive({ recipe: 5, tokenizer: 'gpt44' }, /^recipe: expected [^;]*; tokenizer: /);
  await code({ language: 'pyton', chunk_sise: 1 }, MISTYPED, LANGUAGE);
  await code({ language: 'pyton', tokenizer: 'gpt44' }, TOKENIZER, LANGUAGE);
});

const OF_MODELS = needs('refinery/embeddings', 'chunker/semantic');
t.test('of texts, refineries and models', OF_MODELS, async (t) => {
  await refuses(t, '/v1/embed', { text: 'a', ...model, purpos: 1 }, /purpos: unknown/, MODEL);
  await refuses(
    t,
    '/v1/tokenize',
    { text: 'a', tokenizer: 'gpt44', includ: [] },
    /includ: unknown/,
    TOKENIZER,
  );
  await refuses(
    t,
    '/v1/refine/embeddings',
    { chunks: [{ text: 'a' }], ...model },
    /start_index: missing/,
    MODEL,
  );
  await refuses(t, '/v1/chunk/semantic', { text: 'a', ...model, threshold: 2 }, /threshold: /, MODEL);
});

const OF_STEPS = needs('chunker/recursive', 'refinery/embeddings');
t.test('of the steps of a pipeline, each with its place', OF_STEPS, async (t) => {
  const steps = [
    { type: 'chunk', chunker: 'recursive', config: names },
    { type: 'refine', refinery: 'embeddings', config: model },
  ];
  const recipe = /steps\[0\]\.config\.recipe: there is/;
  // As for a server that has them.
  const stored = { name: 'unknown', steps, allow_missing: true };
  for (const { post } of servers) {
    const { id } = (await post('/v1/pipelines', stored)).json<{ id: string }>();
    const executed = await post(`/v1/pipelines/${id}/execute`, { text: 'Tea' });
    checkProblem(t, executed, 400, [TOKENIZER, recipe, /steps\[1\]\.config\.embedding_model: there is/]);
  }
});

t.test('of the first line of a stream', needs('chunker/recursive'), async (t) => {
  const body = '{"chunk_size": 0, "tokenizer": "gpt44", "recipe": "markdwn"}\n{"text": "a"}\n';
  const headers = { 'content-type': 'application/x-ndjson' };
  for (const { send } of servers) {
    const streamed = await send('/v1/chunk/recursive', { method: 'POST', body, headers });
    checkProblem(t, streamed, 400, [SIZE, RECIPE, TOKENIZER]);
  }
});
