import fc from 'fast-check';
import Fastify from 'fastify';
import t from 'tap';
import chunksmith from '../../../../../server/app.ts';
import { anyText } from '../../../../../server/testing/cases/texts.ts';
import { openBrowser } from '../../../../support/browser.ts';
import { pluginsFolder } from '../../../../support/plugins.ts';
import { startServer, withStandIns } from '../../../../support/server.ts';
import type { AnswerChunk } from '../../../../support/service.ts';
import { PIECES, pieces, TEXT } from '../pieces.ts';
import { openPlayground, type Span, showPlayground } from '../playground.ts';

/** Where the playground is served, and how it is seen: below a prefix, with keys, on a narrow page; and its colours. */

const folder = await pluginsFolder(t, PIECES);
const server = await startServer(t, { pluginsDir: [folder], workers: 1 });
const { browser, skip } = await openBrowser(t);
const open = (hash = '') => openPlayground(browser, server, hash);

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

const TEXTS = 60;

t.test('every character has the colours of the chunks that hold it', { skip }, async (t) => {
  const page = await open();
  await page.settled();
  const texts = fc.sample(anyText, { numRuns: TEXTS, seed: 16 }).map((text) => text.slice(0, 3000));
  type Listed = Readonly<Record<'kind' | 'name', string>> & { readonly available: boolean };
  const plugins = (await server.get('/v1/plugins')).json<Listed[]>();
  const chunkers = plugins.filter(({ kind, available }) => kind === 'chunker' && available);
  t.ok(chunkers.length > 0);
  for (const { name } of chunkers) {
    let checked = 0;
    const ask = (text: string, more: object) =>
      server.post(`/v1/chunk/${name}`, { text, chunk_size: 12, offset_unit: 'utf16', ...more });
    const overlap = (await ask('', { chunk_overlap: 5 })).status === 200 ? { chunk_overlap: 5 } : {};
    // One that takes texts of its own format alone refuses the others.
    const answers = await Promise.all(texts.map((text) => ask(text, overlap)));
    const lists = answers.map((one) => (one.status === 200 ? one.json<AnswerChunk[]>() : null));
    const given = texts.map((text, index) => ({ text, chunks: lists[index] }));
    await page.evaluate(`window.given = ${JSON.stringify(given)}`);
    const shown = await page.evaluate<(Span[] | null)[]>(`(async () => {
      const { blockIn } = await import('/playground/view/columns.ts');
      const { blocksOf } = await import('/playground/text/blocks.ts');
      return window.given.map(({ text, chunks }) => {
        if (chunks === null) return null;
        const run = { isStale: false, chunks, milliseconds: 0, reports: {}, error: undefined };
        const column = { setting: { id: 'A', steps: [] }, run, differences: new Set(), selected: -1, hits: new Map() };
        const edges = blocksOf(text);
        return edges.slice(0, -1).flatMap((from, at) =>
          [...blockIn(column, text, from, edges[at + 1]).children].map((span) => ({
            start: Number(span.dataset.start), text: span.textContent, chunk: Number(span.dataset.chunk), classes: span.className,
          })));
      });
    })()`);
    for (const [index, text] of texts.entries()) {
      const [spans, chunks] = [shown[index], lists[index]];
      if (!spans || !chunks) continue;
      checked++;
      const wrong = wrongPlace(text, chunks, spans);
      if (wrong !== undefined) t.fail(`${name}, ${JSON.stringify(text.slice(0, 100))}: at ${wrong}`);
    }
    t.ok(checked > 0, `${name}: ${checked} texts`);
  }
  t.same(page.problems, []);
});

/** The first character that is shown in another way than the chunks that hold it say; -1 if a character is not shown. */
function wrongPlace(
  text: string,
  chunks: readonly AnswerChunk[],
  spans: readonly Span[],
): number | undefined {
  let at = 0;
  for (const span of spans) {
    // Halves of surrogate pairs are kept on the page, and replaced on the way from it.
    if (span.start !== at) return at;
    for (const end = at + span.text.length; at < end; at++) {
      const holding = chunks.flatMap(({ start_index, end_index }, index) =>
        start_index <= at && at < end_index ? [index] : [],
      );
      const [first = -1] = holding;
      const tone = first === -1 ? 'gap' : first % 2 === 0 ? 'even' : 'odd';
      const classes = span.classes.split(' ');
      if (span.chunk !== first || classes[0] !== tone || classes.includes('overlap') !== holding.length > 1)
        return at;
    }
  }
  return at === text.length ? undefined : -1;
}
