import t from 'tap';
import { createProviderWithFolder, openModel } from './support/models.ts';

const { signal } = new AbortController();
const request = { purpose: 'similarity', signal } as const;

t.test('a text of 5 MB has a vector, near that of its own parts', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const model = await openModel(provider, 'chunksmith/static-en-256');
  const sentence = 'The harbour was quiet, and the fishermen mended their nets in the shade. ';
  const { values, dimensions } = await model.embed([sentence.repeat(72_000), sentence], request);
  let cosine = 0;
  for (let index = 0; index < dimensions; index++) {
    cosine += (values[index] as number) * (values[dimensions + index] as number);
  }
  t.ok(cosine > 0.8, String(cosine));
});

t.test('stops when nobody waits any more, and says how far it is', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const model = await openModel(provider, 'chunksmith/static-en-256');
  const early = AbortSignal.abort(new Error('gone'));
  await t.rejects(model.embed(['a'], { ...request, signal: early }), { message: 'gone' });

  const controller = new AbortController();
  const done: number[] = [];
  const texts = Array<string>(200_000).fill('Some words that take a little time to read and to add up.');
  const embedding = model.embed(texts, {
    ...request,
    signal: controller.signal,
    progress(count) {
      done.push(count);
      controller.abort(new Error('gone'));
    },
  });
  await t.rejects(embedding, { message: 'gone' });
  t.equal(done.length, 1);
  t.ok((done[0] as number) > 0 && (done[0] as number) < texts.length);
});
