import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { openBrowser } from '../../../../support/browser.ts';
import { needs } from '../../../../support/here.ts';
import { pluginsFolder, refinery } from '../../../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../../../support/server.ts';
import { PIECES, pieces, TEXT } from '../pieces.ts';
import { dropped, openPlayground, showPlayground, textsOf, withClass } from '../playground.ts';

/** The playground as a user meets it, in a real browser. */

const MARKING = 'return chunks.map((chunk) => ({ ...chunk, marked: true }));';
const folder = await pluginsFolder(t, PIECES, refinery('marking', MARKING));
const server = await startServer(t, { pluginsDir: [folder], workers: 1 });
const { browser, skip } = await openBrowser(t);
const OF_PRESETS = {
  skip:
    skip ||
    needs('chunker/auto', 'chunker/recursive', 'refinery/context', 'refinery/embeddings').skip ||
    needs('embedding/static', 'tokenizer/tiktoken').skip,
};
const run = promisify(execFile);
const OF_TEXT = { skip: skip || needs('reader/text').skip };
const open = (hash = '') => openPlayground(browser, server, hash);
const show = (settings: object[][], text: string) => showPlayground(browser, server, settings, text);

/** Has the page keep what it copies, and what it saves. */
const KEEP_COPIED = 'navigator.clipboard.writeText = async (text) => void (window.copied = text)';
const KEEP_SAVED = `URL.createObjectURL = (blob) => { window.saved = blob; return 'data:,'; };
  HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };`;

t.test('a plugin that is dropped in has its form, with its example', { skip }, async (t) => {
  const page = await open();
  await page.settled();
  await page.fill('.setting-A .name', 'chunker/pieces');
  await page.settled();
  t.match(await page.textOf('.head.setting-A'), 'pieces');
  await page.openForm('#A-0-size');
  t.equal(await page.evaluate('document.querySelector("#A-0-size").value'), '4', 'as in its example');
  t.ok(await page.evaluate('document.querySelector("label[for=A-0-size]").title === "How long pieces are."'));
  t.equal(await page.count('#A-0-only'), 0, 'an option without effect is not there');
  await page.fill('#A-0-mode', '"two"');
  await page.until('document.querySelector("#A-0-only") !== null');
  await page.settled();
  await page.fill('#A-0-size', '1');
  await page.until('document.querySelector("#A-0-size-problem") !== null');
  const problem = 'size: expected an integer of at least 2, got 1.';
  t.equal(await page.textOf('#A-0-size-problem'), problem, "in the service's words");
  t.equal(await page.evaluate('document.querySelector("#A-0-size").getAttribute("aria-invalid")'), 'true');
  await page.fill('.setting-A .add', 'marking');
  await page.fill('#A-0-size', '8');
  await page.until('/\\+ marking/.test(document.querySelector(".head.setting-A").textContent)');
});

t.test('what a tooltip says is read by touch and keyboard', { skip }, async (t) => {
  const page = await show([pieces()], TEXT);
  await page.openForm('#A-0-size');
  for (const [name, about] of [
    ['About size', 'How long pieces are.'],
    ['Word', 'Cuts within a word'],
  ]) {
    const isIt = `(one) => [one.ariaLabel, one.textContent].includes('${name}')`;
    await page.evaluate(`[...document.querySelectorAll('.term')].find(${isIt}).focus()`);
    await page.press('Enter');
    await page.until('document.querySelector(":popover-open") !== null');
    t.equal(await page.textOf(':popover-open'), about);
    await page.press('Escape');
    await page.until('document.querySelector(":popover-open") === null');
  }
  t.equal(await page.count('[title]:not(.term, label)'), 0, 'nothing is said by a tooltip alone');
});

t.test('a setting that failed says why once in its card and in its column', { skip }, async (t) => {
  const page = await show([pieces(), pieces()], TEXT);
  await page.openForm('#A-0-chunk_size');
  await page.fill('#A-0-chunk_size', '0');
  await page.until('/failed/.test(document.querySelector(".head.setting-A").textContent)');
  const problem = 'chunk_size: expected an integer of at least 1, got 0.';
  for (const place of ['.card', '.head'])
    t.equal((await page.textOf(`${place}.setting-A`)).split(problem).length, 2, place);
  t.match(await page.textOf('.numbers tbody tr'), /^A failed$/);
  const classes = [...(await page.spans(0)), ...(await page.spans(1))].map((span) => span.classes);
  t.notOk(classes.some((one) => /gap|differs/.test(one)));
  await page.click('.setting-A > header button[aria-expanded]');
  await page.until(`document.querySelector('.card.setting-A > .problem')?.textContent === '${problem}'`);
});

t.test('a notice lets clicks through, and ends by Escape', { skip }, async (t) => {
  const page = await show([pieces()], TEXT);
  await page.evaluate(KEEP_COPIED);
  const noticed = `document.querySelector('.notice').textContent`;
  await page.click('.share button');
  await page.until(`${noticed} === 'Copied a link.'`);
  const under = await page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector('.notice').getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2).className;
  })()`);
  t.not(under, 'notice');
  await page.press('Escape');
  await page.until(`${noticed} === ''`);
});

t.test('without a clipboard, as on plain http, a link is shown, selected to copy', { skip }, async (t) => {
  const page = await show([pieces()], TEXT);
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  await page.click('.share button');
  await page.until('/not let this page/.test(document.activeElement.closest("dialog")?.textContent)');
  t.ok((await page.evaluate<string>('String(getSelection())')).startsWith(`${server.url}/playground#s=`));
});

t.test('colours of A and B hold, and the numbers fit on a screen of 1280', { skip }, async (t) => {
  const page = await show([pieces(), pieces()], TEXT);
  await page.resize(1280, 800);
  const colour = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  for (const letter of ['A', 'B']) {
    await page.click(`.cell.setting-${letter} span[data-chunk="1"]`);
    await page.until('document.querySelector(".selected") !== null');
    const hue = await colour(`.head.setting-${letter}`, 'borderTopColor');
    t.equal(await colour(`tr.setting-${letter} .histogram .bar`, 'fill'), hue);
    t.equal(await colour(`.setting-${letter} .selected`, 'outlineColor'), hue);
  }
  const hidden =
    '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".scroll"))';
  t.equal(await page.evaluate(hidden), 0);
  const edges = (selector: string) =>
    page.evaluate<{ width: number; top: number; bottom: number }>(
      `document.querySelector('${selector}').getBoundingClientRect().toJSON()`,
    );
  const [heads, frame] = [await edges('.heads'), await edges('.frame')];
  t.same([heads.width, heads.bottom], [frame.width, frame.top], 'heads are above their columns');
});

t.test('colours are those of the offsets: overlaps, gaps, limits', { skip }, async (t) => {
  const settings = [pieces({ size: 6, overlap: 2, chunk_size: 7 }), pieces({ size: 6, skip: true })];
  const page = await show(settings, TEXT);
  const [a, b] = [await page.spans(0), await page.spans(1)];
  for (const spans of [a, b]) t.equal(textsOf(spans).join(''), TEXT);
  t.same(withClass(a, 'overlap'), ['ef', 'kl', 'qr', 'wx', '23']);
  t.same(withClass(b, 'gap'), ['g', 'z'], 'what no chunk has');
  t.ok(withClass(a, 'over').length > 0 && withClass(b, 'over').length === 0, 'over the limit of 7');
  t.match(
    await page.textOf('.numbers tbody tr:nth-child(1)'),
    /^A 6 6 \w+\. 8 \w+\. 8 \w+\. 8 \w+\. ! ?5 100 %/,
  );
  t.match(await page.textOf('.numbers tbody tr:nth-child(2)'), / ! ?94\.44 %/, 'not by colour alone');
  t.ok(withClass(b, 'differs').length > 0, 'boundaries that the other has not');
});

t.test('what is out of date is grey at once, and one edit runs all', { skip }, async (t) => {
  const page = await show([pieces(), pieces({ size: 5 })], TEXT);
  await page.click('section[aria-label=Text] button[aria-expanded]');
  await page.until('document.querySelector("textarea") !== null');
  const states = await page.evaluate<[string, string]>(`(async () => {
    const field = document.querySelector('textarea');
    field.value = 'short';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => setTimeout(done));
    return [document.querySelectorAll('.head.stale').length, document.querySelectorAll('.cell:not(.stale)').length];
  })()`);
  t.same(states, [2, 0], 'nothing is shown as current');
  await page.settled();
  t.same(textsOf(await page.spans(0)), ['short']);
  t.match(await page.textOf('.head.setting-B'), /1 chunk ·/);
  t.match(await page.textOf('.head.setting-A'), /\d ms/);
});

t.test('up to four settings stand side by side', { skip }, async (t) => {
  const page = await show([pieces()], TEXT);
  for (const count of [2, 3, 4]) {
    await page.click('.side > .wide');
    await page.until(`document.querySelectorAll('.head').length === ${count}`);
  }
  await page.settled();
  t.ok(await page.evaluate('document.querySelector(".side > .wide").disabled'));
  t.equal(await page.count('.row:first-child .cell'), 4);
  await page.click('.setting-B button[aria-label^=Remove]');
  await page.until(`document.querySelectorAll('.head').length === 3`);
});

t.test('tokens are marked, by any tokenizer', { skip }, async (t) => {
  const page = await show([pieces()], 'ab cd');
  await page.fill('.tools label:nth-child(2) select', 'character');
  const marked = `[...(CSS.highlights.get('token') ?? [])].map((range) => range.toString())`;
  await page.until(`${marked}.length > 0`);
  t.same(await page.evaluate(marked), ['b', 'c'], 'every second one');
});

t.test('links hold the settings, and the text only if it is asked for', { skip }, async (t) => {
  const text = 'lone \ud83d and 😀\r\nend';
  const page = await show([pieces({ size: 3 })], text);
  t.equal(textsOf(await page.spans(0)).join('').length, text.length);
  await page.until('location.hash.startsWith("#s=")');
  t.notMatch(await page.evaluate('location.hash'), /t=/);
  await page.evaluate(KEEP_COPIED);
  await page.fill('.share input', 'true');
  await page.click('.share button');
  await page.until('window.copied !== undefined');
  const link = await page.evaluate<string>('window.copied');
  const again = await open(link.slice(link.indexOf('#')));
  await again.settled();
  t.same(await again.spans(0), await page.spans(0));
  const broken = await open('#s=nonsense');
  await broken.settled();
  t.equal(await broken.count('.head'), 2, 'what is no link is left aside');
});

t.test('a setting is copied as a program that does the same', { skip }, async (t) => {
  const page = await show([pieces({ size: 5, mode: 'two' })], TEXT);
  await page.evaluate(KEEP_COPIED);
  await page.openForm('.actions select');
  const copied = async (code: string) => {
    await page.evaluate('window.copied = undefined');
    await page.fill('.actions select', code);
    await page.until('window.copied !== undefined');
    return page.evaluate<string>('window.copied');
  };
  const programs = { 'p.py': await copied('Python'), 'p.mjs': await copied('JavaScript') };
  const cwd = await temporaryFolder(t, { 'input.txt': TEXT, ...programs });
  const pieceAt = (start: number) => `${start} ${Math.min(36, start + 5)} ${Math.min(5, 36 - start)}`;
  const expected = [0, 5, 10, 15, 20, 25, 30, 35].map(pieceAt);
  t.same((await run(process.execPath, ['p.mjs'], { cwd })).stdout.trim().split('\n'), expected);
  t.same((await run('python3', ['p.py'], { cwd })).stdout.trim().split('\n'), expected);
  t.match(await copied('curl'), `curl -s ${server.url}/v1/chunk/pieces --json @-`);
  const stored = JSON.parse(await copied('Pipeline')) as object;
  t.match(stored, { steps: [{ type: 'chunk', chunker: 'pieces', config: { size: 5, mode: 'two' } }] });
  await page.fill('.actions input', 'from the page');
  await page.click('.actions form button');
  await page.until('/Saved/.test(document.querySelector(".notice").textContent)');
  const pipelines = (await server.get('/v1/pipelines')).json<object[]>();
  t.match(pipelines, [{ name: 'from the page', config: { steps: [{ chunker: 'pieces' }] } }]);
  await page.until(`document.querySelector('.setting-A .name optgroup + optgroup option') !== null`);
  const [{ id = '' } = {}] = pipelines as { id?: string }[];
  await page.fill('.setting-A .name', `pipeline/${id}`);
  await page.until('/ms/.test(document.querySelector(".head.setting-A").textContent)');
  await page.settled();
  t.equal((await page.spans(0)).length, 8, 'and is there to choose');
});

t.test('chunks are saved as JSON Lines and CSV', { skip }, async (t) => {
  const page = await show([pieces({ size: 20 })], 'a "quoted", text\nof two lines');
  await page.evaluate(KEEP_SAVED);
  await page.openForm('.actions select');
  await page.fill('.actions select:nth-child(2)', 'csv');
  t.equal(await page.evaluate('window.savedName'), 'chunks-A.csv');
  const csv = await page.evaluate<string>('window.saved.text()');
  t.match(csv, /^text,start_index,end_index,token_count,mode\r\n"a ""quoted"", text\nof ",0,20,20,one\r\n/);
  await page.fill('.actions select:nth-child(2)', 'jsonl');
  const lines = (await page.evaluate<string>('window.saved.text()')).trim().split('\n');
  const ends = lines.map((line) => JSON.parse(line).end_index);
  t.same(ends, [20, 29]);
});

t.test('the first screen begins with a preset, whose steps are edited', OF_PRESETS, async (t) => {
  const page = await open();
  await page.settled();
  const chosen = '(({ value }) => value)(document.querySelector(".setting-A .name"))';
  t.equal(await page.evaluate(chosen), 'preset/prose');
  t.equal(await page.evaluate('document.querySelector(".setting-A optgroup").label'), 'Presets');
  t.match(await page.textOf('.head.setting-A'), /prose \d+ chunk/);
  await page.fill('.setting-A .name', 'preset/docs');
  await page.until('/docs/.test(document.querySelector(".head.setting-A").textContent)');
  await page.settled();
  await page.openForm('#A-0-chunk_size');
  t.match(await page.evaluate('document.querySelector("#A-1-template").value'), /heading_path/);
  await page.fill('#A-0-chunk_size', '64');
  await page.until('/[2-9] chunks/.test(document.querySelector(".head.setting-A").textContent)');
  t.equal(await page.evaluate(chosen), 'chunker/auto', 'it is no longer the preset');
  await page.fill('.setting-A .name', 'preset/docs');
  await page.until('/1 chunk /.test(document.querySelector(".head.setting-A").textContent)');
  t.equal(await page.evaluate('document.querySelector("#A-0-chunk_size").value'), '256');
  t.same(page.problems, []);
});

t.test('a file is read by the service, and dropped onto the page', OF_TEXT, async (t) => {
  const page = await show([pieces({ size: 50 })], TEXT);
  await page.evaluate(dropped('b.txt', Buffer.from('Zwölf Bären\r\n', 'latin1')));
  await page.until('/b.txt/.test(document.querySelector("section[aria-label=Text]").textContent)');
  await page.settled();
  t.same(textsOf(await page.spans(0)), ['Zwölf Bären\r\n'], 'windows-1252, with CRLF');
  t.match(await page.textOf('section[aria-label=Text]'), /lines end with CRLF/);
});

t.test('an empty file is said to be; right-to-left chunks are marked on the right', { skip }, async (t) => {
  const page = await show([pieces({ size: 6 })], 'שלום עולם טוב');
  await page.until('document.querySelector(".cell .start") !== null');
  t.match(
    await page.evaluate('getComputedStyle(document.querySelector(".cell .start")).boxShadow'),
    / -2px 0px/,
  );
  await page.evaluate(dropped('none.txt', []));
  await page.until('/none.txt is empty/.test(document.querySelector(".notice").textContent)');
});

t.test('text does nothing but be shown, on the page and in the report', { skip }, async (t) => {
  const text = `<script>window.hacked = 1</script></style><img src=x onerror="window.hacked = 1">javascript:window.hacked=1 \0 \u2028`;
  const page = await show([pieces({ size: 7 })], text);
  t.equal(textsOf(await page.spans(0)).join('').length, text.length);
  await page.evaluate(KEEP_SAVED);
  await page.click('.share button:last-child');
  const report = await page.evaluate<string>('window.saved.text()');
  t.match(report, /^<!doctype html>/);
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  t.match(report, `<meta http-equiv="Content-Security-Policy" content="${policy}">`);
  const path = await temporaryFolder(t, { 'report.html': report });
  const opened = await browser.open(`file://${path}/report.html`);
  t.equal(await opened.evaluate('window.hacked'), undefined);
  t.equal(await opened.evaluate('document.querySelectorAll("script, img").length'), 0);
  t.ok(opened.requests.every((url) => url.startsWith('file:')));
  const shown = await opened.evaluate('document.querySelector(".text").textContent');
  t.match(shown, '<script>window.hacked = 1</script>');
  t.equal(await page.evaluate('window.hacked'), undefined);
  t.same(page.problems, []);
});

const OF_BYTES = { skip: skip || needs('tokenizer/byte').skip };
t.test('the unit is beside each size, and a price is one of tokens', OF_BYTES, async (t) => {
  const page = await show(
    [
      [{ kind: 'chunker', name: 'token', options: { chunk_size: 9, tokenizer: 'byte' } }],
      [{ kind: 'chunker', name: 'token', options: { chunk_size: 9 } }],
    ],
    'Unit by unit, and é.',
  );
  const row = (at: number) => page.textOf(`.numbers tbody tr:nth-child(${at})`);
  t.match(await row(1), /9 bytes .* 21 bytes/);
  t.match(await row(2), /9 char\. .* 20 char\./);
  await page.fill('.price', '0.02');
  t.match(await row(2), /no tokens$/);
});

t.test('before the server has answered, the page says what it waits for', { skip }, async (t) => {
  const html = (await server.get('/playground')).bytes.toString();
  t.match(html, /<div id="app"><p[^>]* role="status">Loading/);
  const page = await open();
  await page.settled();
  t.equal(await page.count('.waiting'), 0);
});
