import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { showPlayground } from '../server/clients/playground/playground.ts';
import { openBrowser } from '../support/browser.ts';
import { needs } from '../support/here.ts';
import { startServer } from '../support/server.ts';

/** Makes the pictures of the playground for the README, light and dark: `npm run picture`, with a Chromium. */

const FOLDER = join(import.meta.dirname, '../../.github/images');

const TEXT = `# Tea

Boil fresh water once, i.e. never twice, as Dr. Hale says.

## Steeping

| Tea    | Leaves | Water | Time      |
| ------ | ------ | ----- | --------- |
| Green  | 12 g   | 75 °C | 2 minutes |
| Black  | 14 g   | 96 °C | 4 minutes |

## Timer

\`\`\`python
def steep(minutes):
    time.sleep(60 * minutes)
    ring()
\`\`\`

## Milk

It goes in last, and never into green tea.
`;

const settings = [
  [{ kind: 'chunker', name: 'markdown', options: { chunk_size: 64, tokenizer: 'cl100k_base' } }],
  [
    {
      kind: 'chunker',
      name: 'token',
      options: { chunk_size: 64, chunk_overlap: 8, tokenizer: 'cl100k_base' },
    },
  ],
];

const QUESTIONS = [
  ['Does milk go into green tea?', 'It goes in last, and never into green tea'],
  ['Which function waits and rings?', 'def steep(minutes):\n    time.sleep(60 * minutes)\n    ring()'],
  ['How hot is the water for black tea?', '| Black  | 14 g   | 96 °C | 4 minutes |'],
  ['How long does green tea steep?', '| Green  | 12 g   | 75 °C | 2 minutes |'],
] as const;

const teardowns: (() => unknown)[] = [];
const t = { teardown: (handler: () => unknown) => void teardowns.unshift(handler) };
try {
  const server = await startServer(t);
  const { browser, skip } = await openBrowser(t);
  const lacking = skip || needs('chunker/markdown', 'tokenizer/tiktoken', 'embedding/static').skip;
  if (lacking !== false) throw new Error(lacking);
  const page = await showPlayground(browser, server, settings, TEXT);
  await page.send('Emulation.setDeviceMetricsOverride', {
    ...{ width: 1280, height: 1060, deviceScaleFactor: 1.5, mobile: false },
  });
  await page.fill('.question select[aria-label=Retriever]', 'hybrid');
  await page.fill('.count', '1');
  for (const [index, [question, answer]] of QUESTIONS.entries()) {
    await page.fill('.ask', question);
    await page.evaluate(selectionOf(answer));
    await page.click('.question form button[type=button]');
    await page.click('.question form button:not([type])');
    const caption = `Recall of ${index + 1} question`;
    await page.until(`document.querySelector('figcaption')?.textContent.includes('${caption}')`);
  }
  await page.evaluate('void (getSelection().removeAllRanges(), document.activeElement.blur())');
  mkdirSync(FOLDER, { recursive: true });
  for (const scheme of ['light', 'dark']) {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await page.send('Emulation.setEmulatedMedia', { features });
    const { data } = await page.send<{ data: string }>('Page.captureScreenshot', {
      format: 'webp',
      quality: 75,
    });
    writeFileSync(join(FOLDER, `playground-${scheme}.webp`), Buffer.from(data, 'base64'));
  }
} finally {
  for (const teardown of teardowns) await teardown();
}

/** A script that selects a passage in the first column. */
function selectionOf(passage: string): string {
  return `(() => {
    const words = ${JSON.stringify(passage)};
    const spans = [...document.querySelectorAll('.cell[data-column="0"] span[data-start]')];
    const { firstChild } = spans.find(({ firstChild }) => firstChild?.data?.includes(words));
    const start = firstChild.data.indexOf(words);
    getSelection().setBaseAndExtent(firstChild, start, firstChild, start + words.length);
  })()`;
}
