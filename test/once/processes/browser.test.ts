import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import t from 'tap';
import { PIECES, pieces, TEXT } from '../../server/clients/playground/pieces.ts';
import { openPlayground, showPlayground } from '../../server/clients/playground/playground.ts';
import { openBrowser } from '../../support/browser.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';

/** The playground in a real browser, once; server/clients/playground/processes/ has all that it does. */

const server = await startServer(t, { pluginsDir: [await pluginsFolder(t, PIECES)] });
const { browser, skip } = await openBrowser(t);
const show = (settings: object[][], text: string) => showPlayground(browser, server, settings, text);

t.test('it opens without a problem, from this server alone, under a strict policy', { skip }, async (t) => {
  const answer = await server.get('/playground');
  const policy = answer.headers.get('content-security-policy') ?? '';
  t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  t.notMatch(policy, /unsafe/);
  const page = await openPlayground(browser, server);
  await page.settled();
  t.same(page.problems, []);
  t.ok(page.requests.every((url) => url.startsWith(`${server.url}/`)));
  t.equal(await page.count('.card'), 3, 'a text and two settings');
  const slashed = await server.get('/playground/');
  t.equal(slashed.url, `${server.url}/playground`);
  t.equal((await server.get('/playground/none.ts')).status, 404);
  t.equal((await server.get('/playground/..%2Fapp.ts')).status, 404, 'no file but its own');
});

t.test('a chunk is chosen by click and by keys, and says what it is', { skip }, async (t) => {
  const page = await show([pieces({ size: 4 })], '😀😀abcdefgh');
  await page.click('.cell span[data-chunk="1"]');
  await page.until('document.querySelector(".details") !== null');
  t.match(await page.textOf('.details'), /Chunk 2 of 3.* Range 2 – 6 code points Size 4 characters Mode one/);
  await page.fill('.tools label:first-child select', 'byte');
  t.match(await page.textOf('.details'), /Range 8 – 12 bytes/);
  t.match(await page.textOf('section[aria-label=Text]'), / 16 bytes\./, 'lengths are in the unit of offsets');
  await page.evaluate('document.querySelector(".viewer").focus()');
  await page.press('ArrowDown');
  await page.until('/Chunk 3/.test(document.querySelector(".details").textContent)');
  await page.press('ArrowLeft');
  await page.until('/Chunk 2/.test(document.querySelector(".details").textContent)');
  const selected = (await page.spans(0)).filter(({ classes }) => classes.split(' ').includes('selected'));
  t.equal(selected.map(({ text }) => text).join(), 'abcd');
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

for (const scheme of ['light', 'dark']) {
  t.test(`axe-core finds nothing in ${scheme}`, { skip }, async (t) => {
    const page = await show([pieces({ size: 6, overlap: 2, chunk_size: 7 }), pieces({ skip: true })], TEXT);
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await page.send('Emulation.setEmulatedMedia', { features });
    await page.settled();
    await page.click('.setting-A > header button[aria-expanded]');
    await page.click('.cell span[data-chunk="1"]');
    await page.until('document.querySelector(".details") !== null');
    await page.evaluate(axe);
    const found = await page.evaluate<{ id: string; impact: string; nodes: string[] }[]>(
      `axe.run(document).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, failureSummary }) => html.slice(0, 150) + failureSummary).slice(0, 3) })))`,
    );
    t.same(found, []);
  });
}
