import t from 'tap';
import { needs } from '../../support/here.ts';
import { chunkStep, openService } from '../../support/service.ts';
import { linesIn } from '../../support/streams.ts';

/** Chunks over `chunk_size` are counted, whichever chunker left them. Jobs: test/server/corpora/http/jobs.test.ts. */

const HEADER = 'x-chunks-oversize';
const LONG = 'This sentence is much longer than the limit. ';
const TEXTS = ['Short. ', LONG + LONG, `Short. ${LONG}`];
const sentences = chunkStep('sentence', { chunk_size: 20 });
const { post, execute, stream } = await openService(t);

t.test('a header counts them, for each text of a batch', needs('chunker/sentence'), async (t) => {
  const headerOf = async (text: string | string[], more: object = {}) =>
    (await post('/v1/chunk/sentence', { text, chunk_size: 20, ...more })).headers.get(HEADER);
  t.equal(await headerOf(TEXTS), '-, 2, 1');
  t.equal(await headerOf(LONG), '1');
  t.equal(await headerOf('Short. Short. '), null);
  t.equal(await headerOf(LONG, { chunk_size: LONG.length }), null, 'a chunk may have chunk_size tokens');
  t.equal(await headerOf(LONG, { oversize: 'split' }), null);
});

t.test('a stream counts them in its lines', needs('chunker/sentence'), async (t) => {
  const { bytes } = await stream(
    { run: 'chunk', name: 'sentence' },
    { chunk_size: 20 },
    TEXTS.map((text) => ({ text })),
  );
  const counts = linesIn<{ chunks_oversize?: number }>(bytes).map((line) => line.chunks_oversize);
  t.same(counts, [undefined, 2, 1]);
});

t.test('of several chunkers, the last one counts', needs('chunker/sentence', 'chunker/token'), async (t) => {
  const windows = chunkStep('token', { chunk_size: 20 });
  t.equal((await execute([sentences, windows], { text: LONG })).headers.get(HEADER), null);
  t.equal((await execute([windows, sentences], { text: LONG })).headers.get(HEADER), null);
  t.equal(
    (await execute([chunkStep('token', { chunk_size: 60 }), sentences], { text: LONG })).headers.get(HEADER),
    '1',
  );
});

t.test('code that is kept whole is counted', needs('chunker/code', 'chunker/auto'), async (t) => {
  const text = 'def one():\n    return 1\n\n\ndef two():\n    return 2\n';
  const headerOf = async (path: string, more: object) =>
    (await post(path, { text, chunk_size: 10, ...more })).headers.get(HEADER);
  t.equal(await headerOf('/v1/chunk/code', {}), '2');
  t.equal(await headerOf('/v1/chunk/code', { oversize: 'split' }), null);
  t.equal(await headerOf('/v1/chunk/auto', { filename: 'a.py' }), '2');
});
