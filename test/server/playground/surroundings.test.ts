import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Fastify from 'fastify';
import t from 'tap';
import chunksmith from '../../../server/app.ts';
import { findChromium, startBrowser } from '../../support/browser.ts';
import { PIECES, pieces, TEXT } from '../../support/pieces.ts';
import { hashOf, openPlayground } from '../../support/playground.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { startServer, withStandIns } from '../../support/server.ts';

/** Where the playground is served, and how it is seen: below a prefix, with keys, on a narrow page, by assistive programs. */

const chromium = findChromium();
if (chromium === undefined) {
  t.plan(0, 'there is no Chromium on this machine; CHROMIUM can name one');
  process.exit(0);
}

const folder = await pluginsFolder(t, PIECES);
const server = await startServer(t, { pluginsDir: [folder], workers: 1 });
const browser = await startBrowser(t, chromium);
const open = (hash = '') => openPlayground(browser, server, hash);

t.test('below a prefix', async (t) => {
  const host = Fastify({ forceCloseConnections: true });
  t.teardown(() => host.close());
  await host.register(chunksmith, {
    prefix: '/below/it',
    config: withStandIns({ workers: 0, pluginsDir: [folder] }),
  });
  const url = `${await host.listen({ host: '127.0.0.1', port: 0 })}/below/it`;
  const page = await openPlayground(browser, { url }, await hashOf([pieces({ size: 6 })], TEXT));
  await page.settled();
  t.equal((await page.spans(0)).length, 6);
  t.ok(page.requests.every((address) => address.startsWith(`${url}/`)));
  t.same(page.problems, []);
});

t.test('with keys that stay in memory', async (t) => {
  const guarded = await startServer(t, { apiKeys: 'secret-key-1', pluginsDir: [folder] });
  const page = await openPlayground(browser, guarded);
  await page.until('document.querySelector(".key input") !== null');
  await page.fill('.key input', 'secret-key-1');
  await page.click('.key button');
  await page.settled();
  t.match(await page.textOf('.head.setting-A'), /\d+ chunk/);
  const stored = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
  );
  t.notMatch(stored, 'secret-key-1');
});

t.test('it can be left out', async (t) => {
  const without = await startServer(t, { playground: false });
  t.equal((await without.get('/playground')).status, 404);
  t.equal((await without.get('/playground/main.ts')).status, 404);
  t.equal((await without.get('/docs')).status, 200);
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

for (const scheme of ['light', 'dark']) {
  t.test(`axe-core finds nothing in ${scheme}`, async (t) => {
    const page = await open(
      await hashOf([pieces({ size: 6, overlap: 2, chunk_size: 7 }), pieces({ skip: true })], TEXT),
    );
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
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

t.test('on a narrow page one column is shown, and the others are a tap away', async (t) => {
  const page = await open(await hashOf([pieces(), pieces({ size: 5 })], TEXT));
  await page.send('Emulation.setDeviceMetricsOverride', {
    width: 390,
    height: 844,
    deviceScaleFactor: 1,
    mobile: true,
  });
  await page.settled();
  const seen = `[...document.querySelectorAll('.row:first-child .cell')].map((cell) => cell.offsetParent !== null)`;
  t.same(await page.evaluate(seen), [true, false]);
  await page.click('.head.setting-B');
  await page.until(`${seen}[1]`);
  t.same(await page.evaluate(seen), [false, true]);
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= 390'), 'nothing sticks out');
});
