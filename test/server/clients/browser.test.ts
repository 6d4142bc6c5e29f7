import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { findChromium, startBrowser } from '../../support/browser.ts';
import { needs } from '../../support/here.ts';
import { ROOT } from '../../support/openapi-types.ts';
import { startServer } from '../../support/server.ts';

/** The JavaScript client in a browser, as plain modules from another origin than the service. */

const chromium = findChromium();
const FOLDER = join(ROOT, 'server/clients/javascript');

const pageOf = (service: string) => `<!doctype html><link rel="icon" href="data:,"><script type="module">
import { Chunksmith } from '/index.ts';
const client = new Chunksmith({ baseUrl: ${JSON.stringify(service)} });
const text = 'A family 👩‍👩‍👧‍👦, and 👍🏽. 你好。';
const chunks = await client.chunk('token', { text, chunk_size: 4 });
const sliced = chunks.every((one) => text.slice(one.start_index, one.end_index) === one.text);
const lines = [];
for await (const { id, chunks } of client.stream('token', [{ id: 'a', text }, { id: 'b', text: 'x' }])) {
  lines.push([id, chunks.length]);
}
const file = new File(['From a file.'], 'a.txt', { type: 'text/plain' });
const [read] = await client.chunkFile('token', file);
const error = await client.chunk('token', { text, chunk_sise: 4 }).catch((one) => [one.name, one.status]);
const lost = await new Chunksmith({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }).health().catch(({ code }) => code);
globalThis.found = { sliced, lines, read: read.text, error, lost };
</script>`;

t.test(
  'it chunks, streams, sends files and tells errors',
  { skip: chromium === undefined ? 'no Chromium here' : needs('reader/text').skip },
  async (t) => {
    const service = await startServer(t, { corsOrigins: ['*'] });
    const pages = createServer(async ({ url = '/' }, answer) => {
      if (url === '/') return answer.setHeader('content-type', 'text/html').end(pageOf(service.url));
      const source = await readFile(join(FOLDER, url), 'utf8');
      return answer.setHeader('content-type', 'text/javascript').end(stripTypeScriptTypes(source));
    });
    pages.listen(0, '127.0.0.1');
    await once(pages, 'listening');
    t.teardown(() => pages.close());
    const browser = await startBrowser(t, chromium ?? '');
    const page = await browser.open(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.until('globalThis.found !== undefined');
    t.strictSame(await page.evaluate('found'), {
      sliced: true,
      lines: [
        ['a', 1],
        ['b', 1],
      ],
      read: 'From a file.',
      error: ['ChunksmithError', 400],
      lost: 'unreachable',
    });
  },
);
