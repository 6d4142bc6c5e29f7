import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import t from 'tap';
import { openBrowser } from '../../../../support/browser.ts';
import { needs } from '../../../../support/here.ts';
import { plugin, pluginsFolder } from '../../../../support/plugins.ts';
import { startServer } from '../../../../support/server.ts';
import { type Line, pdfOf } from '../pdf.ts';
import { PIECES, pieces, TEXT } from '../pieces.ts';
import { dropped, showPlayground } from '../playground.ts';

/** Where chunks come from, as the playground shows it: pages with boxes, times, cells. */

/** Slides as the PDFs of these tests, each line of which has a box. */
const SLIDES = plugin(
  { kind: 'reader', name: 'talk', formats: { extensions: ['.talk'], mediaTypes: ['text/x-talk'] } },
  `export default () => ({ read({ bytes }) {
    const text = Buffer.from(bytes).toString();
    const places = Array.from(text.matchAll(/.+/g), ({ 0: line, index }, at) =>
      ({ start: index, end: index + line.length, page: at + 1, box: [0.1, 0.1, 0.9, 0.3] }));
    return { text, places };
  } });`,
);
const { resolve } = createRequire(import.meta.url);
const folder = await pluginsFolder(t, PIECES, SLIDES);
const server = await startServer(t, { pluginsDir: [folder], workers: 1 });
const { browser, skip } = await openBrowser(t);

const PAGES: readonly (readonly Line[])[] = [
  [
    [72, 700, 'First line of page one'],
    [72, 100, 'Last line of page one!'],
  ],
  [
    [72, 700, 'Page two begins here..'],
    [72, 400, 'This ends the document'],
  ],
];
/** Every line has 22 characters, and is a paragraph. */
const LINE = 24;

/** Opens a page and drops a file on it, which is chunked by lines. */
async function openFile(name: string, bytes: Iterable<number>, size = LINE) {
  const page = await showPlayground(browser, server, [pieces({ size })], TEXT);
  const isRead = `document.querySelector('section[aria-label=Text] .name').selectedOptions[0].text === '${name}'`;
  const drop = async (other: string, content: Iterable<number>) => {
    await page.evaluate(dropped(other, content));
    await page.until(isRead.replace(name, other));
    await page.settled();
  };
  await drop(name, bytes);
  return {
    ...page,
    drop,
    choose: (chunk: number) => page.click(`.cell span[data-chunk="${chunk}"]`),
    where: () => page.textOf('.where'),
    title: () => page.textOf('.source h2'),
    isDrawn: () => page.until('document.querySelector(".sheet canvas") !== null'),
    /** How many dark pixels there are within the boxes, and outside them. */
    ink: () => page.evaluate<{ inside: number[]; outside: number }>(INK),
  };
}

const INK = `(() => {
  const canvas = document.querySelector('.sheet canvas');
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  const whole = canvas.getBoundingClientRect();
  const boxes = [...document.querySelectorAll('.boxes rect')].map((one) => one.getBoundingClientRect());
  const inside = boxes.map(() => 0);
  let outside = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] > 128) continue;
    const x = whole.left + (((at / 4) % width) / width) * whole.width;
    const y = whole.top + (Math.floor(at / 4 / width) / height) * whole.height;
    const box = boxes.findIndex(({ left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
    if (box === -1) outside++;
    else inside[box]++;
  }
  return { inside, outside };
})()`;

const OF_PDF = { skip: skip || needs('reader/pdf').skip };
const ofPdf = (url: string) => url.includes('/playground/pdf/');

t.test('a chunk of a PDF is shown on its page, by what was loaded for it alone', OF_PDF, async (t) => {
  const page = await openFile('two pages.pdf', pdfOf(PAGES), 2 * LINE);
  t.same(page.requests.filter(ofPdf), [], 'nothing before a chunk is chosen');
  await page.choose(0);
  await page.isDrawn();
  t.match(await page.title(), /^Page 1 two pages\.pdf$/);
  t.equal(await page.where(), 'page 1');
  const { inside, outside } = await page.ink();
  t.equal(inside.length, 2);
  t.ok(
    inside.every((ink) => ink > 500),
    `words are in the boxes: ${inside.join()}`,
  );
  t.equal(outside, 0, 'and all of them');
  const files = page.requests.filter(ofPdf).map((url) => url.split('/').at(-1));
  t.same([...new Set(files)].sort(), ['index.esm.js', 'pdfium.wasm']);
  t.same(page.problems, [], 'the policy allows all of it');
});

t.test('the panel follows the keys, and the boxes are those of the chunk', OF_PDF, async (t) => {
  const page = await openFile('keys.pdf', pdfOf(PAGES));
  await page.resize(1280, 600);
  await page.choose(0);
  await page.isDrawn();
  const first = await page.ink();
  t.ok(first.inside.length === 1 && first.outside > 500, 'the other line has no box');
  await page.evaluate('document.querySelector(".viewer").focus()');
  await page.press('ArrowDown');
  await page.until('/Chunk 2/.test(document.querySelector(".details").textContent)');
  const box = 'document.querySelector(".boxes rect").getBoundingClientRect()';
  const desk = 'document.querySelector(".desk").getBoundingClientRect()';
  await page.until(`${box}.bottom <= ${desk}.bottom && ${box}.top >= ${desk}.top`);
  await page.press('ArrowDown');
  await page.until('/^Page 2/.test(document.querySelector(".source h2").textContent)');
  await page.isDrawn();
  t.equal((await page.ink()).inside.length, 1);
  t.equal(await page.evaluate('document.activeElement.className'), 'viewer', 'focus stays in the text');
  await page.evaluate('document.querySelector(".source button[aria-label^=Close]").focus()');
  await page.press('Enter');
  await page.until('document.querySelector(".source") === null');
  t.equal(await page.evaluate('document.activeElement.className'), 'viewer');
  await page.press('ArrowUp');
  await page.until('/Chunk 2/.test(document.querySelector(".details").textContent)');
  t.equal(await page.count('.source'), 0, 'it stays closed');
  await page.click('.details button[aria-expanded=false]');
  await page.isDrawn();
  t.match(await page.title(), /^Page 1/);
});

t.test(
  'what draws PDFs is served as it is, and nothing else of its package',
  needs('reader/pdf'),
  async (t) => {
    for (const [path, type] of [
      ['index.esm.js', 'text/javascript; charset=utf-8'],
      ['pdfium.wasm', 'application/wasm'],
    ] as const) {
      const answer = await server.get(`/playground/pdf/${path}`);
      t.equal(answer.headers.get('content-type'), type, path);
      t.equal(answer.headers.get('cache-control'), 'no-cache');
      t.ok(
        answer.bytes.equals(readFileSync(resolve(`@hyzyla/pdfium/dist/${path}`))),
        `${path}, byte for byte`,
      );
    }
    for (const path of ['package.json', 'index.cjs', 'worker.bundle.js', '..%2Fpackage.json'])
      t.equal((await server.get(`/playground/pdf/${path}`)).status, 404, path);
  },
);

t.test('without the package the boxes are on an empty page', OF_PDF, async (t) => {
  const page = await openFile('none.pdf', pdfOf(PAGES));
  await page.block(['*/playground/pdf/*']);
  await page.choose(0);
  await page.until('/cannot be drawn/.test(document.querySelector(".source [role=status]")?.textContent)');
  t.equal(await page.count('.blank rect'), 1);
});

t.test('a page that cannot be drawn in time is given up, and the next one is drawn', OF_PDF, async (t) => {
  const page = await openFile('slow.pdf', pdfOf(PAGES));
  await page.evaluate(`
    const { setTimeout } = window;
    window.setTimeout = (run, milliseconds) => setTimeout(run, milliseconds / 100);
    window.postToWorker = Worker.prototype.postMessage;
    Worker.prototype.postMessage = () => {};`);
  await page.choose(0);
  await page.until('/cannot be drawn/.test(document.querySelector(".source [role=status]")?.textContent)');
  await page.evaluate('Worker.prototype.postMessage = window.postToWorker');
  await page.choose(2);
  await page.isDrawn();
  t.match(await page.title(), /^Page 2/);
});

t.test('pages that are turned and cut have their boxes where the words are', OF_PDF, async (t) => {
  for (const more of ['/Rotate 90', '/Rotate 180/CropBox[50 50 500 760]', '/CropBox[60 300 400 780]']) {
    const page = await openFile(
      'turned.pdf',
      pdfOf([[[72, 700, 'Somewhere on the page.']]], undefined, more),
    );
    await page.choose(0);
    await page.isDrawn();
    const { inside, outside } = await page.ink();
    t.ok((inside[0] ?? 0) > 500 && outside === 0, `${more}: ${inside} ${outside}`);
  }
});

t.test('only the worker that draws may compile WebAssembly', async (t) => {
  const policyOf = async (path: string) => (await server.get(path)).headers.get('content-security-policy');
  t.match(await policyOf('/playground/view/pdf-worker.ts'), "script-src 'self' 'wasm-unsafe-eval';");
  for (const path of ['/playground', '/playground/main.ts'])
    t.match(await policyOf(path), "script-src 'self';", path);
});

t.test('a chunk on two pages has both, one after the other', OF_PDF, async (t) => {
  const page = await openFile('both.pdf', pdfOf(PAGES), 3 * LINE);
  await page.choose(0);
  await page.isDrawn();
  t.equal(await page.where(), 'page 1–2');
  const turn = (to: string) => page.click(`.source button[aria-label="The ${to} page of the chunk"]`);
  t.ok(await page.evaluate('document.querySelector(".source button").disabled'), 'there is none before it');
  await turn('next');
  await page.until('/^Page 2/.test(document.querySelector(".source h2").textContent)');
  await page.isDrawn();
  const { inside, outside } = await page.ink();
  t.ok(inside.length === 1 && outside > 500);
  await turn('previous');
  await page.until('/^Page 1/.test(document.querySelector(".source h2").textContent)');
  t.equal(await page.count('.boxes rect'), 2);
  await turn('next');
  await page.choose(1);
  await page.until('/Chunk 2/.test(document.querySelector(".details").textContent)');
  await page.choose(0);
  await page.until('/Chunk 1/.test(document.querySelector(".details").textContent)');
  t.match(await page.title(), /^Page 1/, 'a chunk is shown from its first page');
});

t.test('what the reader left out is said', OF_PDF, async (t) => {
  const lines = [
    'Boil a litre of water.',
    'Wait for four minutes.',
    'Pour a little of milk.',
    'Drink it while warm.',
  ];
  const running = lines.map((line): Line[] => [
    [72, 760, 'Tea, a handbook'],
    [72, 400, line],
  ]);
  const page = await openFile('header.pdf', pdfOf([...running, []]));
  await page.choose(0);
  await page.isDrawn();
  t.match(await page.textOf('.details'), /Repeated lines left out 4 Pages without text 5/);
});

t.test('a page of any size becomes a canvas of a bounded one', OF_PDF, async (t) => {
  const size = `(({ width, height }) => [width, height])(document.querySelector('.sheet canvas'))`;
  for (const [width, height] of [
    [30, 14_400],
    [3000, 14_400],
    [14_400, 30],
    [14_400, 14_400],
  ] as const) {
    const page = await openFile('odd.pdf', pdfOf([[[2, 8, 'ill']]], [width, height]));
    await page.choose(0);
    await page.isDrawn();
    const [across = 0, down = 0] = await page.evaluate<number[]>(size);
    t.ok(Math.max(across, down) <= 8000 && across * down <= 6_000_000, `${across} × ${down}`);
    t.ok(Math.min(across, down) >= 1);
    t.same(page.problems, []);
  }
});

t.test('another file takes the place of the first, and typing ends what is known', OF_PDF, async (t) => {
  const page = await openFile('one.pdf', pdfOf(PAGES));
  await page.choose(0);
  await page.isDrawn();
  await page.evaluate('window.kept = document.querySelector(".sheet canvas")');
  await page.drop('two.pdf', pdfOf([[[300, 300, 'Another file, at last.']]]));
  t.equal(await page.count('.source'), 0);
  t.equal(await page.evaluate('window.kept.width'), 0, 'its memory is freed');
  await page.choose(0);
  await page.isDrawn();
  t.match(await page.title(), /two\.pdf/);
  t.equal((await page.ink()).outside, 0);
  await page.click('section[aria-label=Text] button[aria-expanded]');
  await page.until('document.querySelector("textarea") !== null');
  await page.fill('textarea', 'Typed, and from no file at all.');
  await page.settled();
  await page.choose(0);
  await page.until('document.querySelector(".details") !== null');
  t.equal(await page.count('.source, .where'), 0);
});

t.test('slides are an empty page with boxes', { skip }, async (t) => {
  const page = await openFile('tea.talk', Buffer.from('The first slide\nThe second one\n'), 16);
  await page.choose(1);
  await page.until('document.querySelector(".slide rect") !== null');
  t.match(await page.title(), /^Page 2/);
  t.same(page.requests.filter(ofPdf), []);
});

const OF_SUBTITLES = { skip: skip || needs('reader/subtitles').skip };
t.test('subtitles have their times and speakers', OF_SUBTITLES, async (t) => {
  const cues = ['01:01.500 --> 01:15.200\n<v Ann>Boil water.', '01:01:16.000 --> 01:01:20.000\n<v Bob>Wait.'];
  const page = await openFile('talk.vtt', Buffer.from(['WEBVTT', ...cues].join('\n\n')), 100);
  await page.choose(0);
  await page.until('/1:01/.test(document.querySelector(".where")?.textContent)');
  t.equal(await page.where(), '1:01.5 – 1:15.2 · Ann; 1:01:16 – 1:01:20 · Bob');
  t.equal(await page.count('.source'), 0);
});

const OF_NOTEBOOKS = { skip: skip || needs('reader/notebook').skip };
t.test('notebooks have their cells', OF_NOTEBOOKS, async (t) => {
  const cell = (source: string) => ({ cell_type: 'markdown', metadata: {}, source });
  const cells = ['# Tea', 'Boil water.', 'Wait.', 'Pour.'].map(cell);
  const notebook = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
  const page = await openFile('tea.ipynb', Buffer.from(JSON.stringify(notebook)), 15);
  await page.choose(0);
  await page.until('/cell/.test(document.querySelector(".where")?.textContent)');
  t.equal(await page.where(), 'cell 1–2');
});

t.test('on a phone the page is below the text, and is closed again', OF_PDF, async (t) => {
  const page = await openFile('phone.pdf', pdfOf(PAGES));
  await page.resize(360, 740);
  await page.choose(0);
  await page.isDrawn();
  const edges = (selector: string) =>
    page.evaluate<{ top: number; bottom: number; right: number }>(
      `document.querySelector('${selector}').getBoundingClientRect().toJSON()`,
    );
  const [text, source, canvas] = [await edges('.viewer'), await edges('.source'), await edges('canvas')];
  t.ok(source.top >= text.bottom && canvas.right <= 360);
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= 360'), 'nothing sticks out');
  await page.click('.source button[aria-label^=Close]');
  await page.until('document.querySelector(".source") === null');
});

const axe = readFileSync(resolve('axe-core/axe.min.js'), 'utf8');
for (const scheme of ['light', 'dark']) {
  t.test(`axe-core finds nothing in the page of a file in ${scheme}`, OF_PDF, async (t) => {
    const page = await openFile('axe.pdf', pdfOf(PAGES), 3 * LINE);
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
    await page.choose(0);
    await page.isDrawn();
    await page.evaluate(axe);
    const found = await page.evaluate(
      `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 150))]))`,
    );
    t.same(found, []);
  });
}
