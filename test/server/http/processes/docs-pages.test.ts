import Fastify from 'fastify';
import t from 'tap';
import chunksmith from '../../../../server/app.ts';
import { openBrowser, type Page } from '../../../support/browser.ts';
import { readDocument } from '../../../support/openapi.ts';
import { startServer, withStandIns } from '../../../support/server.ts';

/** The pages of the documentation in a browser. */
const { browser, skip } = await openBrowser(t);
const apiKeys = 'key-of-a-test';
const PHONE = { width: 375, height: 800, deviceScaleFactor: 1, mobile: true };

/** Redoc makes up an answer where a plugin that cannot run here shows none, and says that it may be wrong. */
const problemsOf = ({ problems }: Page) =>
  problems.filter((problem) => !problem.includes('OpenAPI Sampler: found allOf with'));

/** Both pages put invisible places to break into long paths, and Redoc lays out what is far from the screen later. */
const shows = (text: string) =>
  `document.querySelector('.routes') === null && document.body.textContent.replaceAll('\\u200b', '').includes(${JSON.stringify(text)})`;

t.test('in a browser', { skip }, async (t) => {
  const client = await startServer(t, { apiKeys });
  const { url } = client;
  const { paths } = await readDocument(client);
  const opened = new Map<string, Page>();
  /** What was asked of anybody but this server. */
  const strangersOf = ({ requests }: Page) =>
    requests.filter((asked) => !asked.startsWith(url) && !asked.startsWith('data:'));

  const features = [{ name: 'prefers-color-scheme', value: 'dark' }];
  await t.test('/docs is dark where the browser is', async () => {
    const page = await browser.open(`${url}/docs`);
    await page.send('Emulation.setEmulatedMedia', { features });
    await page.until('getComputedStyle(document.documentElement).backgroundColor === "rgb(28, 32, 34)"');
  });

  await t.test('/redoc is dark where the browser is, and light again', async (t) => {
    const page = await browser.open(`${url}/redoc`);
    const heading = `getComputedStyle(document.querySelector('.api-content h1')).color`;
    await page.until(`document.querySelector('.api-content h1') !== null`);
    const light = await page.evaluate(heading);
    await page.send('Emulation.setEmulatedMedia', { features });
    await page.until(`getComputedStyle(document.body).backgroundColor === 'rgb(28, 32, 34)'`);
    await page.until(`${heading} !== ${JSON.stringify(light)}`);
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: 'light' }],
    });
    await page.until(`${heading} === ${JSON.stringify(light)}`);
    t.same(problemsOf(page), []);
  });

  await t.test('the pages list the routes before a script has run', async (t) => {
    for (const path of ['/docs', '/redoc']) {
      const html = (await client.get(path)).bytes.toString();
      for (const described of Object.keys(paths)) t.ok(html.includes(described), `${path} ${described}`);
    }
  });

  await t.test('/docs resolves no schema before an operation is opened', async (t) => {
    const page = opened.get('/docs/') ?? (await browser.open(`${url}/docs`));
    await page.until(`document.querySelectorAll('.opblock').length > 0`);
    t.equal(await page.evaluate(`document.querySelectorAll('.models-control').length`), 1);
    t.equal(
      await page.evaluate(`document.querySelectorAll('.model-container, .json-schema-2020-12').length`),
      0,
    );
  });

  for (const path of ['/docs/', '/redoc']) {
    await t.test(`${path} loads whole, from this server alone, without a problem`, async (t) => {
      const page = await browser.open(url + path);
      opened.set(path, page);
      for (const described of Object.keys(paths)) await page.until(shows(described));
      t.same(problemsOf(page), []);
      t.same(strangersOf(page), []);
      t.ok(page.requests.length >= 3);
    });

    await t.test(`${path} has links to the other page, no margin and no bar of the library`, async (t) => {
      const page = opened.get(path) as Page;
      await page.until(`document.querySelectorAll('.pages a').length === 4`);
      t.same(
        await page.evaluate(`[...document.querySelectorAll('.pages a')].map(({ href }) => href)`),
        ['/playground', '/docs', '/redoc', '/openapi.json'].map((other) => url + other),
      );
      t.equal(await page.evaluate('getComputedStyle(document.body).margin'), '0px');
      t.match(await page.evaluate('document.title'), /^(Try it out|Reference) – Chunksmith$/);
      t.equal(await page.evaluate(`document.querySelector('.topbar') === null`), true);
      await page.send('Emulation.setDeviceMetricsOverride', PHONE);
      t.equal(await page.evaluate('innerWidth'), PHONE.width, 'a phone shows it in its own width');
    });
  }

  await t.test('below a prefix both load too', async (t) => {
    const host = Fastify({ forceCloseConnections: true });
    t.teardown(() => host.close());
    const config = withStandIns({ workers: 0, plugins: ['token', 'character'] });
    await host.register(chunksmith, { prefix: '/below', config });
    const address = await host.listen({ host: '127.0.0.1', port: 0 });
    for (const path of ['/docs', '/redoc']) {
      const page = await browser.open(`${address}/below${path}`);
      await page.until(shows('/below/v1/chunk/token'));
      t.same(problemsOf(page), [], path);
    }
  });
});
