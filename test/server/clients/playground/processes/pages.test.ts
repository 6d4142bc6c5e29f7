import { writeFileSync } from 'node:fs';
import t from 'tap';
import { openBrowser } from '../../../../support/browser.ts';
import { needs } from '../../../../support/here.ts';
import { plugin, pluginsFolder } from '../../../../support/plugins.ts';
import { startServer } from '../../../../support/server.ts';
import { dropped, showPlayground } from '../playground.ts';
import { pdfOf } from '../pdf.ts';
import { PIECES, pieces, TEXT } from '../pieces.ts';

/** Where chunks come from, as the playground shows it: pages with boxes, times, cells. */

const STAND_IN = plugin(
  { kind: 'reader', name: 'pages', formats: { extensions: ['.pdf', '.pptx'], mediaTypes: ['application/pdf'] }, reports: { 'left-out-lines': 'How many.' } },
  `export default () => ({ read({ bytes }, { report }) {
    const places = []; let text = '';
    const pages = Buffer.from(bytes).toString('latin1').split('endstream');
    for (const [index, page] of pages.entries()) for (const [, x, y, words] of page.matchAll(/(\\d+) (\\d+) Td \\((.*?)\\) Tj/g)) {
      const box = [x / 612, 1 - (+y + 17) / 792, (+x + 10.5 * words.length) / 612, 1 - (y - 6) / 792].map((one) => Math.min(1, +one.toFixed(4)));
      places.push({ start: text.length, end: text.length + words.length, page: index + 1, box });
      text += words + '\\n';
    }
    report('left-out-lines', 2);
    return { text, places };
  } });`,
);
const folder = await pluginsFolder(t, PIECES, STAND_IN);
const server = await startServer(t, { pluginsDir: [folder], workers: 1 });
const { browser, skip } = await openBrowser(t);

t.test('try', { skip }, async (t) => {
  const page = await showPlayground(browser, server, [pieces({ size: 40 }), pieces({ size: 25, overlap: 5 })], TEXT);
  const pdf = pdfOf([
    [[72, 700, 'First line of the first page'], [72, 670, 'Second line of it'], [300, 300, 'Far away']],
    [[72, 700, 'Page two begins here'], [72, 600, 'and it ends here, at last']],
  ]);
  await page.evaluate(dropped('two pages.pdf', pdf));
  await page.until('/two pages/.test(document.querySelector("section[aria-label=Text]").textContent)');
  await page.settled();
  await page.click('.cell span[data-chunk="1"]');
  await page.until('document.querySelector(".sheet canvas") !== null');
  const shot = async (name: string) => {
    const { data } = await page.send<{ data: string }>('Page.captureScreenshot', { format: 'png' });
    writeFileSync(`/tmp/h/page-${name}.png`, Buffer.from(data, 'base64'));
  };
  await shot('light');
  await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
  await shot('dark');
  await page.resize(360, 740);
  await page.evaluate('document.querySelector(".viewer").scrollIntoView()');
  await shot('phone');
  t.same(page.problems, []);
  t.comment(page.requests.filter((one) => one.includes('/pdf/')));
});
