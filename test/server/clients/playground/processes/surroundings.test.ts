import Fastify from 'fastify';
import t from 'tap';
import chunksmith from '../../../../../server/app.ts';
import { openBrowser } from '../../../../support/browser.ts';
import { pluginsFolder } from '../../../../support/plugins.ts';
import { startServer, withStandIns } from '../../../../support/server.ts';
import { PIECES, pieces, TEXT } from '../pieces.ts';
import { openPlayground, showPlayground } from '../playground.ts';

/** Where the playground is served, and how it is seen: below a prefix, with keys, on a narrow page. */

const folder = await pluginsFolder(t, PIECES);
const server = await startServer(t, { pluginsDir: [folder], workers: 1 });
const { browser, skip } = await openBrowser(t);

t.test('below a prefix', { skip }, async (t) => {
  const host = Fastify({ forceCloseConnections: true });
  t.teardown(() => host.close());
  await host.register(chunksmith, {
    prefix: '/below/it',
    config: withStandIns({ workers: 0, pluginsDir: [folder] }),
  });
  const url = `${await host.listen({ host: '127.0.0.1', port: 0 })}/below/it`;
  const page = await showPlayground(browser, { url }, [pieces({ size: 6 })], TEXT);
  t.equal((await page.spans(0)).length, 6);
  t.ok(page.requests.every((address) => address.startsWith(`${url}/`)));
  t.same(page.problems, []);
});

t.test('with keys that stay in memory', { skip }, async (t) => {
  const guarded = await startServer(t, { apiKeys: 'secret-key-1', pluginsDir: [folder] });
  const page = await openPlayground(browser, guarded);
  await page.until('document.querySelector(".key input") !== null');
  await page.fill('.key input', 'secret-key-1');
  await page.click('.key button');
  await page.settled();
  t.match(await page.textOf('.head.setting-A'), /\d+ chunk/);
  const kept = '{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href';
  t.notMatch(await page.evaluate(`JSON.stringify([${kept}])`), 'secret-key-1');
});

t.test('on a narrow page one column is shown, and the others are a tap away', { skip }, async (t) => {
  const page = await showPlayground(browser, server, [pieces(), pieces({ size: 5 })], TEXT);
  await page.resize(375, 667);
  await page.settled();
  const seen = `[...document.querySelectorAll('.row:first-child .cell')].map((cell) => cell.offsetParent !== null)`;
  t.same(await page.evaluate(seen), [true, false]);
  const top =
    '[...document.querySelectorAll(".cell span")].find((span) => span.offsetParent).getBoundingClientRect().top';
  t.ok(await page.evaluate(`${top} < 667 * 0.6`), 'the first chunk is on the first screen');
  t.equal(await page.textOf('.head.setting-B'), 'B pieces');
  await page.click('.head.setting-B');
  await page.until(`${seen}[1]`);
  t.same(await page.evaluate(seen), [false, true]);
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= 375'), 'nothing sticks out');
});
