import fc from 'fast-check';
import t from 'tap';
import { anyText } from '../../../server/testing/cases/texts.ts';
import { findChromium, startBrowser } from '../../support/browser.ts';
import { openPlayground } from '../../support/playground.ts';
import { startServer } from '../../support/server.ts';

/** The colours of the page are those of the answers, for all chunkers and any text. */

const chromium = findChromium();
if (chromium === undefined) {
  t.plan(0, 'there is no Chromium on this machine; CHROMIUM can name one');
  process.exit(0);
}

const TEXTS = 200;

interface AnswerChunk {
  readonly start_index: number;
  readonly end_index: number;
}

interface Shown {
  readonly start: number;
  readonly text: string;
  readonly chunk: number;
  readonly classes: string;
}

t.test('every character has the colours of the chunks that hold it', async (t) => {
  const server = await startServer(t, { workers: 1 });
  const page = await openPlayground(await startBrowser(t, chromium), server);
  await page.settled();
  const texts = fc.sample(anyText, { numRuns: TEXTS, seed: 16 }).map((text) => text.slice(0, 3000));
  const plugins = (await server.get('/v1/plugins')).json<
    { kind: string; name: string; available: boolean }[]
  >();
  const chunkers = plugins.filter(({ kind, available }) => kind === 'chunker' && available);
  t.ok(chunkers.length > 0);
  for (const { name } of chunkers) {
    let checked = 0;
    const ask = (text: string, more: object) =>
      server.post(`/v1/chunk/${name}`, { text, chunk_size: 12, offset_unit: 'utf16', ...more });
    const overlap = (await ask('', { chunk_overlap: 5 })).status === 200 ? { chunk_overlap: 5 } : {};
    const lists = await Promise.all(
      texts.map(async (text) => {
        const answer = await ask(text, overlap);
        // One that takes texts of its own format alone refuses the others.
        return answer.status === 200 ? answer.json<AnswerChunk[]>() : undefined;
      }),
    );
    await page.evaluate(
      `window.given = ${JSON.stringify(texts.map((text, index) => ({ text, chunks: lists[index] ?? null })))}`,
    );
    const shown = await page.evaluate<(Shown[] | null)[]>(`(async () => {
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
      if (!spans || chunks === undefined) continue;
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
  spans: readonly Shown[],
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
