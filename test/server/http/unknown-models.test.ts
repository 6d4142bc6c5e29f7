import t from 'tap';
import { needs } from '../../support/here.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { startProcess } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

const chunks = [{ text: 'abc', start_index: 0, end_index: 3, token_count: 3 }];

t.test(
  'a mistyped embedding_model is 400 with the names that are ready, as a mistyped tokenizer is',
  needs('chunker/semantic', 'refinery/embeddings', 'embedding/static', 'tokenizer/huggingface'),
  async (t) => {
    const server = startProcess(t, ['--port', '0', '--data-dir', await temporaryFolder(t)]);
    const { post } = await server.listening();
    for (const embedding_model of ['vendor/potion-base-8m', 'no-such-model', '../../etc/passwd', 'a b']) {
      for (const [path, body] of [
        ['/v1/refine/embeddings', { chunks, embedding_model }],
        ['/v1/chunk/semantic', { text: 'One sentence. Another one.', embedding_model }],
      ] as const) {
        const answer = await post(path, body);
        t.equal(answer.status, 400, `${path} ${embedding_model}`);
        const { detail } = answer.json<{ detail: string }>();
        t.match(detail, /there is no model ".*" here; ready are .*chunksmith\/static-en-256/);
        t.match(detail, /--allow-downloads/, 'and how to add it');
      }
    }
    const tokenizer = await post('/v1/chunk/token', { text: 'a', tokenizer: 'gpt-2' });
    t.equal(tokenizer.status, 400);
    t.notMatch(server.stdout(), /"level":"error"/, 'a mistake of the caller is no error in the log');
  },
);

t.test('a model that a plugin knows by name but cannot open here is 500 with the remedy', async (t) => {
  const index = 'export default () => ({ list: () => [], open: async () => undefined });';
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'embedding', name: 'lacking', models: ['lacking/one', 'lacks-*'] }, index),
    plugin(
      { kind: 'embedding', name: 'keyless', models: ['keyless/*'], needs: { env: ['NO_SUCH_KEY'] } },
      index,
    ),
  );
  const { post } = await startServer(t, { pluginsDir: [folder] });
  for (const [embedding_model, remedy] of [
    [
      'lacking/one',
      /files of the model "lacking\/one" are not on this machine: put them .* --allow-downloads/,
    ],
    ['lacks-two', /files of the model "lacks-two" are not on this machine/],
    ['keyless/one', /set the environment variable NO_SUCH_KEY/],
  ] as const) {
    const answer = await post('/v1/embed', { text: 'abc', embedding_model });
    t.equal(answer.status, 500, embedding_model);
    t.match(answer.json<{ detail: string }>().detail, remedy);
  }
});
