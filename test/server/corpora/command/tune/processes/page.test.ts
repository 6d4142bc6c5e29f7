import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { pageOf } from '../../../../../../server/corpora/command/tune/report.ts';
import { resultOf } from '../../../../../../server/corpora/command/tune/result.ts';
import type { Trial } from '../../../../../../server/corpora/command/tune/search.ts';
import { openBrowser } from '../../../../../support/browser.ts';
import { createRandom } from '../../../../../support/random.ts';
import { temporaryFolder } from '../../../../../support/server.ts';

/** The page of `tune --report` in a real browser, from a file. */

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { browser, skip } = await openBrowser(t);

async function madePage(): Promise<string> {
  const random = createRandom(1);
  const trials = [128, 256, 512].map((size): Trial => {
    const points = (['bm25', 'dense', 'hybrid'] as const).map((retriever) => {
      const recalls = Array.from({ length: 50 }, (_, at) => (at === 0 ? 0 : Number(random() < 0.7)));
      const recall = recalls.reduce((sum, one) => sum + one, 0) / 50;
      const interval = [recall - 0.1, recall + 0.1] as const;
      return {
        retriever,
        recall,
        interval,
        tokens: 1900 + size / 10,
        chunks: 100_000 / size,
        largest: size,
        recalls,
      };
    });
    const factors = { 'chunk size': String(size) };
    return { name: `some <b>${size}</b>`, steps: [], embedding: [], factors, points };
  });
  const questions = Array.from({ length: 50 }, (_, at) => ({
    question: `<i>${at}?`,
    answers: [],
    place: 'a.md:1',
  }));
  const about = {
    folder: 'tea & milk',
    documents: 3,
    derived: true,
    budget: 2000,
    of: 24,
    notes: [],
  };
  return pageOf(
    await resultOf({ ...about, questions, trials, retriever: 'dense' }, new AbortController().signal),
  );
}

for (const scheme of ['light', 'dark'])
  t.test(`from a file, without network and script, on a phone, in ${scheme}`, { skip }, async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'r.html'), await madePage());
    const page = await browser.open(`file://${folder}/r.html`);
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 360,
      height: 700,
      deviceScaleFactor: 1,
      mobile: true,
    });
    t.same(page.problems, []);
    t.same(page.requests, [`file://${folder}/r.html`]);
    t.equal(await page.evaluate('document.scripts.length'), 0);
    t.equal(await page.evaluate('document.querySelectorAll(".plot .point a").length'), 18);
    t.equal(await page.evaluate('document.querySelectorAll("b, i").length'), 0, 'names are text');
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= 360'), 'nothing sticks out');
    const isLink =
      'document.querySelector(".plot a").focus(); document.activeElement.getAttribute("aria-label")';
    t.match(await page.evaluate(isLink), /recall .* %, .* to .*/);
    t.ok(
      await page.evaluate(
        'document.querySelector(document.activeElement.getAttribute("href")).tagName === "TR"',
      ),
    );
    const back = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    t.equal(back, scheme === 'dark' ? 'rgb(22, 24, 27)' : 'rgb(251, 251, 249)');
    await page.evaluate(axe);
    const found =
      'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))';
    t.same(await page.evaluate(found), []);
  });
