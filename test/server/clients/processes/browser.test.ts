import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { openBrowser } from '../../../support/browser.ts';
import { needs } from '../../../support/here.ts';
import { startLoopback } from '../../../support/loopback.ts';
import { startServer } from '../../../support/server.ts';
import { ROOT } from '../openapi-types.ts';

/** The JavaScript client in a browser, as plain modules from another origin than the service. */

const { browser, skip } = await openBrowser(t);
const FOLDER = join(ROOT, 'server/clients/javascript');

const pageOf = (service: string) => `<!doctype html><link rel="icon" href="data:,"><script type="module">
import { Chunksmith } from '/index.ts';
const client = new Chunksmith({ baseUrl: ${JSON.stringify(service)} });
const text = 'A family 👩‍👩‍👧‍👦, and 👍🏽. 你好。';
const chunks = await client.chunk('token', { text, chunk_size: 4 });
const sliced = chunks.every((one) => text.slice(one.start_index, one.end_index) === one.text);
const lines = [];
for await (const { id, chunks } of client.stream('token', [{ id: 'a', text }, { id: 'b', text: 'x' }])) {
  lines.push(id + ' ' + chunks.length);
}
const file = new File(['From a file.'], 'a.txt', { type: 'text/plain' });
const [read] = await client.chunkFile('token', file);
const error = await client.chunk('token', { text, chunk_sise: 4 }).catch((one) => [one.name, one.status]);
const lost = await new Chunksmith({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }).health().catch(({ code }) => code);
globalThis.found = { sliced, lines, read: read.text, error, lost };
</script>`;

const OF_FILES = { skip: skip || needs('reader/text').skip };
t.test('it chunks, streams, sends files and tells errors', OF_FILES, async (t) => {
  const service = await startServer(t, { corsOrigins: ['*'] });
  const pages = await startLoopback(t, async ({ url = '/' }, answer) => {
    if (url === '/') return answer.setHeader('content-type', 'text/html').end(pageOf(service.url));
    const source = await readFile(join(FOLDER, url), 'utf8');
    return answer.setHeader('content-type', 'text/javascript').end(stripTypeScriptTypes(source));
  });
  const page = await browser.open(`${pages}/`);
  await page.until('globalThis.found !== undefined');
  t.strictSame(await page.evaluate('found'), {
    sliced: true,
    lines: ['a 1', 'b 1'],
    read: 'From a file.',
    error: ['ChunksmithError', 400],
    lost: 'unreachable',
  });
});
