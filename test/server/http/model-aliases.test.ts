import t from 'tap';
import { needs } from '../../support/here.ts';
import { startProcess } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const THEIRS = 'minishlab/potion-base-8M';
const OURS = 'chunksmith/static-en-256';
const TEXT = 'Tea comes from China. It is drunk hot. Rockets burn hydrogen. They fly to the moon.';
const CHUNKS = [{ text: TEXT, start_index: 0, end_index: TEXT.length, token_count: TEXT.length }];

t.test(
  '--model-aliases lets a request and a pipeline name a model as another service does',
  needs(
    'chunker/semantic',
    'refinery/embeddings',
    'embedding/static',
    'embedding/openai',
    'tokenizer/huggingface',
  ),
  async (t) => {
    const dataDir = await temporaryFolder(t);
    const flags = [
      '--port',
      '0',
      '--data-dir',
      dataDir,
      '--model-aliases',
      `${THEIRS}=${OURS},openai=text-embedding-3-small`,
    ];
    const { get, post } = await startProcess(t, flags).listening();
    const ask = (path: string, embedding_model: string) =>
      post(path, { ...(path.includes('refine') ? { chunks: CHUNKS } : { text: TEXT }), embedding_model });

    for (const path of ['/v1/chunk/semantic', '/v1/refine/embeddings']) {
      const [theirs, ours] = [await ask(path, THEIRS), await ask(path, OURS)];
      t.equal(theirs.status, 200, theirs.bytes.toString());
      t.same(theirs.json(), ours.json());
      t.equal(theirs.headers.get('x-embedding-model'), OURS, 'the answer says what served');
    }

    const steps = [
      { type: 'chunk', chunker: 'semantic', config: { embedding_model: THEIRS } },
      { type: 'refine', refinery: 'embeddings', config: { embedding_model: THEIRS } },
    ];
    const created = await post('/v1/pipelines', { name: 'from elsewhere', steps });
    t.equal(created.status, 201);
    const { id } = created.json<{ id: string }>();
    const run = await post(`/v1/pipelines/${id}/execute`, { text: TEXT });
    t.equal(run.status, 200, run.bytes.toString());
    t.equal(run.json<{ embedding: number[] }[]>()[0]?.embedding.length, 256);

    const models = (await get('/v1/models')).json<{ name: string; aliases: string[] }[]>();
    t.ok(models.find(({ name }) => name === OURS)?.aliases.includes(THEIRS), '/v1/models lists it');
    const keyless = await ask('/v1/refine/embeddings', 'openai');
    t.equal(keyless.status, 500);
    t.match(keyless.json<{ detail: string }>().detail, /OPENAI_API_KEY/, 'of hosted models too');
  },
);

t.test('an alias that leads to an alias refuses the start', async (t) => {
  const server = startProcess(t, ['--port', '0', '--model-aliases', 'a=b,b=a']);
  t.equal(await server.ended(), 2);
  t.match(server.stderr(), /--model-aliases: expected no name both on the left and on the right/);
});
