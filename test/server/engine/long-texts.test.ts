import t from 'tap';
import { requestAbout, WINDOWED } from '../../support/evaluation.ts';
import { needs } from '../../support/here.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { chunkStep, openService, refineStep } from '../../support/service.ts';
import { linesIn } from '../../support/streams.ts';

/** Texts beyond the window of a model, in every request that embeds. */

const { post, execute, stream, openers } = await openService(t, {
  pluginsDir: [await pluginsFolder(t, WINDOWED)],
});

const embedding_model = 'narrow';
const LONG = ['tea milk, and much water', 'tea milk, and much wine', 'tea milk, and much rain'];
const chunksOf = (texts: readonly string[]) =>
  texts.map((text) => ({ text, start_index: 0, end_index: text.length, token_count: text.length }));
const CUT = 'x-embedding-cut';

t.test('embed: texts of different ends have different vectors, and are counted', async (t) => {
  const texts = ['tea', ...LONG];
  const vectorsFor = async (options: object) => {
    const answer = await post('/v1/embed', { text: texts, embedding_model, ...options });
    t.equal(answer.status, 200);
    t.equal(answer.headers.get(CUT), '3', JSON.stringify(options));
    return answer.json<{ embeddings: number[][] }>().embeddings.map(String);
  };
  t.equal(new Set(await vectorsFor({})).size, 4);
  t.same(await vectorsFor({}), await vectorsFor({ long_texts: 'average' }), 'which is the default');
  t.equal(new Set(await vectorsFor({ long_texts: 'cut' })).size, 2);
  const short = await post('/v1/embed', { text: 'tea', embedding_model });
  t.equal(short.headers.get(CUT), null);
  const refused = await post('/v1/embed', { text: texts, embedding_model, long_texts: 'refuse' });
  checkProblem(
    t,
    refused,
    400,
    /^text\[1\]: 24 tokens, of which the model reads 10; make it shorter, or let long_texts/,
  );
  const wrong = await post('/v1/embed', { text: texts, embedding_model, long_texts: 'trim' });
  checkProblem(t, wrong, 400, /^long_texts: /);
});

t.test(
  'embeddings refinery: each list is counted, in lists, batches, pipelines and streams',
  needs('refinery/embeddings'),
  async (t) => {
    const chunks = chunksOf(['tea', ...LONG]);
    const config = { embedding_model };
    const answer = await post('/v1/refine/embeddings', { chunks, ...config });
    t.equal(answer.headers.get(CUT), '3');
    const refined = answer.json<{ embedding: number[] }[]>().map(({ embedding }) => String(embedding));
    t.equal(new Set(refined).size, 4);
    const batch = await post('/v1/refine/embeddings', {
      chunks: [chunks, chunks.slice(0, 1), chunks.slice(2)],
      ...config,
    });
    t.equal(batch.headers.get(CUT), '3, -, 2');
    for (const [long_texts, expected] of [
      [undefined, '-, 1'],
      ['cut', '-, 1'],
    ] as const) {
      const steps = [
        chunkStep('token', { chunk_size: 16 }),
        refineStep('embeddings', { ...config, ...(long_texts && { long_texts }) }),
      ];
      const executed = await execute(steps, { text: ['tea', 'milk and water'] });
      t.equal(executed.status, 200);
      t.equal(executed.headers.get(CUT), expected);
    }
    const lines = linesIn(
      (await stream({ run: 'refine', name: 'embeddings' }, config, [chunks, chunks.slice(0, 1)])).bytes,
    );
    t.same(
      lines.map((line) => (line as { embedding_cut?: number }).embedding_cut),
      [3, undefined],
    );
    const refused = await post('/v1/refine/embeddings', { chunks, ...config, long_texts: 'refuse' });
    checkProblem(t, refused, 400, /^chunks\[1\]: 24 tokens/);
    const inBatch = await post('/v1/refine/embeddings', {
      chunks: [chunks.slice(0, 1), chunks],
      ...config,
      long_texts: 'refuse',
    });
    checkProblem(t, inBatch, 400, /^documents\[1\]: chunks\[1\]: 24 tokens/);
    const failed = linesIn(
      (
        await stream({ run: 'refine', name: 'embeddings' }, { ...config, long_texts: 'refuse' }, [
          chunks,
          chunks.slice(0, 1),
        ])
      ).bytes,
    );
    t.match(failed, [{ error: { status: 400, detail: /^chunks\[1\]: / } }, { chunks: [{ text: 'tea' }] }]);
  },
);

t.test('evaluate: chunks and questions beyond the window are found by their ends', async (t) => {
  const text = LONG.join(' ');
  const request = {
    ...requestAbout(text, { 'wine and more': LONG[1] as string }, [
      { chunker: 'token', config: { chunk_size: 24 } },
    ]),
    embedding_model,
  };
  const answer = await post('/v1/evaluate', request);
  t.equal(answer.status, 200);
  t.match(answer.headers.get(CUT), /^[3-9]$/);
  const questions = await post('/v1/evaluate', { ...request, long_texts: 'refuse' });
  checkProblem(t, questions, 400, /^questions\[0\]: 13 tokens/);
  const short = requestAbout(text, { wine: LONG[1] as string }, [
    { chunker: 'token', config: { chunk_size: 24 } },
  ]);
  const chunks = await post('/v1/evaluate', { ...short, embedding_model, long_texts: 'refuse' });
  t.match(chunks.json<{ candidates: object[] }>().candidates, [
    { error: { status: 400, detail: /^chunks\[0\]: 24 tokens/ } },
  ]);
});

t.test('semantic: sentences beyond the window are counted', needs('chunker/semantic'), async (t) => {
  const answer = await post('/v1/chunk/semantic', { text: LONG.join('. '), embedding_model });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get(CUT), '3');
  const refused = await post('/v1/chunk/semantic', {
    text: LONG.join('. '),
    embedding_model,
    long_texts: 'refuse',
  });
  checkProblem(t, refused, 400, /^sentences\[0\]: /);
});

t.test('the list of models has the window, null for one that reads all', async (t) => {
  const models = await openers.listModels();
  t.equal(models.find(({ name }) => name === 'narrow')?.window, 10);
  for (const { name, window } of models.filter(({ provider }) => provider === 'static'))
    t.equal(window, null, name);
});
