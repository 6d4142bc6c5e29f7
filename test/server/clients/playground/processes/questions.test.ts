import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import t from 'tap';
import { openBrowser } from '../../../../support/browser.ts';
import { needs } from '../../../../support/here.ts';
import { startServer } from '../../../../support/server.ts';
import { showPlayground, withClass } from '../playground.ts';

/** Questions on the playground, in a real browser: what each setting finds, and how the settings compare. */

const server = await startServer(t, { workers: 1 });
const { browser, skip } = await openBrowser(t);
const OF_QUESTIONS = {
  skip: skip || needs('embedding/static', 'tokenizer/huggingface', 'chunker/sentence').skip,
};
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIOLATIONS =
  'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))';
const show = (settings: object[][], text: string) => showPlayground(browser, server, settings, text);

t.test('a question marks the best chunks, and the answer gives their scores', OF_QUESTIONS, async (t) => {
  const text = 'Bread needs flour and water. The moon moves around the earth. Cats sleep all day.';
  const page = await show([[{ kind: 'chunker', name: 'sentence', options: { chunk_size: 35 } }]], text);
  await page.evaluate('window.kept = document.querySelector(".cell span")');
  await page.fill('.ask', 'What circles our planet?');
  t.ok(await page.evaluate('window.kept.isConnected'), 'typing leaves the text and its selection alone');
  await page.fill('.count', '1');
  await page.evaluate(`(() => {
  const span = document.querySelector('.cell span[data-chunk="1"]');
  getSelection().setBaseAndExtent(span.firstChild, 4, span.firstChild, 8);
})()`);
  await page.click('.question form button[type=button]');
  await page.click('.question form button:not([type])');
  await page.until('document.querySelector(".found") !== null');
  const scores =
    /A recall 100\.0 % · precision 12\.\d % · IoU 12\.\d % chunk 2 0\.\d+ The moon moves around the earth\./;
  t.match(await page.textOf('.found'), scores);
  t.same(withClass(await page.spans(0), 'hit'), ['The moon moves around the earth. ']);
  await page.openForm('#A-0-chunk_size');
  await page.fill('#A-0-chunk_size', '70');
  await page.until('/chunk 1/.test(document.querySelector(".found")?.textContent)');
  t.match(await page.textOf('.found'), /A recall 100\.0 % · precision 6\.\d %.* chunk 1 0\.\d+ Bread/);
  await page.fill('.ask', '⁂');
  await page.click('.question form button:not([type])');
  await page.until('/anything in common/.test(document.querySelector(".question .problem")?.textContent)');
});

t.test('questions with answers compare the settings, by each retriever', OF_QUESTIONS, async (t) => {
  const text = '👍🏽 Bread needs flour and water. The moon moves around the earth. Cats sleep all day.';
  const sentences = (chunk_size: number) => [{ kind: 'chunker', name: 'sentence', options: { chunk_size } }];
  const steps = [{ type: 'chunk', chunker: 'sentence', config: { chunk_size: 70 } }];
  const stored = await server.post('/v1/pipelines', { name: 'sentences', steps });
  const { id } = stored.json<{ id: string }>();
  const page = await show([sentences(35), [{ kind: 'pipeline', name: id, options: {} }]], text);
  const ask = () => page.click('.question form button:not([type])');
  const asked = (count: number) =>
    page.until(
      `new RegExp('Recall of ${count} question').test(document.querySelector('figcaption')?.textContent)`,
    );
  const mark = async (chunk: number, from: number, to: number) => {
    await page.evaluate(`(() => {
      const { firstChild } = document.querySelector('.cell span[data-chunk="${chunk}"]');
      getSelection().setBaseAndExtent(firstChild, ${from}, firstChild, ${to});
    })()`);
    await page.click('.question form button[type=button]');
  };
  await page.fill('.question select[aria-label=Retriever]', 'bm25');
  t.ok(await page.evaluate('document.querySelector(".question select[aria-label^=Embedding]").disabled'));
  await page.fill('.count', '1');
  await page.fill('.ask', 'flour?');
  await ask();
  await page.until('document.querySelector(".found .words") !== null');
  t.equal(await page.count('figure'), 0, 'without an answer there is nothing to compare');
  await mark(0, 0, 5);
  await asked(1);
  for (const column of [0, 1]) t.equal(withClass(await page.spans(column), 'hit').length, 1);
  await page.fill('.ask', 'water around the moon?');
  t.equal(await page.count('.question .brief'), 0, 'another question has another answer');
  await mark(1, 4, 8);
  await ask();
  await asked(2);
  const points = '[...document.querySelectorAll(".plot [role=img]")].map(({ ariaLabel }) => ariaLabel)';
  t.match(await page.evaluate(points), [
    /^A: sentence: recall 100\.0 %, 100\.0 % to 100\.0 %, \d+ tokens$/,
    /^B: .+: recall 100\.0 %, .*, 6\d tokens$/,
  ]);
  t.match(
    await page.textOf('.found'),
    /A recall 100\.0 % · .* 2 questions: recall 100\.0 % \(.*\), \d+ tokens/,
  );
  const colour = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  t.equal(await colour('.plot .series-B', 'fill'), await colour('.head.setting-B', 'borderTopColor'));
  await page.click('.compared li:first-child .plain');
  await page.until('document.querySelector(".ask").value === "flour?"');
  await asked(2);
  await page.click('.compared li:first-child .plain:last-child');
  await page.until(
    'document.querySelector("figure") === null && document.querySelector(".found .words") !== null',
  );
  await mark(0, 0, 5);
  await asked(2);
  await page.evaluate(axe);
  await page.resize(360, 700);
  for (const value of ['light', 'dark']) {
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
    t.same(await page.evaluate(VIOLATIONS), [], value);
  }
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= 360'), 'nothing sticks out');
  t.same(page.problems, []);
});

t.test(
  'the chosen chunk is the answer where no text is selected, and the text keeps half of the height',
  OF_QUESTIONS,
  async (t) => {
    const text = 'Bread needs flour and water. The moon moves around the earth. Cats sleep all day.';
    const page = await show([[{ kind: 'chunker', name: 'sentence', options: { chunk_size: 35 } }]], text);
    await page.resize(1280, 800);
    await page.fill('.ask', 'What circles our planet?');
    await page.evaluate('document.querySelector(".viewer").focus()');
    for (let presses = 0; presses < 2; presses++) await page.press('ArrowDown');
    await page.evaluate('document.querySelector(".question form button[type=button]").focus()');
    await page.press('Enter');
    await page.until('document.querySelector(".question .brief") !== null');
    t.match(await page.textOf('.question .brief'), /^Answer: 29 – 62 .*The moon moves/);
    await page.click('.question form button:not([type])');
    await page.until('document.querySelector(".found") !== null');
    t.ok((await page.evaluate<number>('document.querySelector(".frame").clientHeight')) >= 400);
    t.match(await page.textOf('.details h2'), /^Chunk 2 of 3$/);
  },
);
