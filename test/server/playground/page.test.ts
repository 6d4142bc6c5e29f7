import t from 'tap';
import { findChromium, startBrowser } from '../../support/browser.ts';
import { needs } from '../../support/here.ts';
import { PIECES, pieces, TEXT } from '../../support/pieces.ts';
import { hashOf, openPlayground, type Span } from '../../support/playground.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** The playground as a user meets it, in a real browser. */

const chromium = findChromium();
if (chromium === undefined) {
  t.plan(0, 'there is no Chromium on this machine; CHROMIUM can name one');
  process.exit(0);
}

const folder = await pluginsFolder(
  t,
  PIECES,
  plugin(
    { kind: 'refinery', name: 'marking' },
    'export default () => ({ refine: (chunks) => chunks.map((chunk) => ({ ...chunk, marked: true })) });',
  ),
);
const server = await startServer(t, { pluginsDir: [folder], workers: 1 });
const browser = await startBrowser(t, chromium);
const open = (hash = '') => openPlayground(browser, server, hash);

const withClass = (spans: readonly Span[], name: string) =>
  spans.filter(({ classes }) => classes.split(' ').includes(name)).map(({ text }) => text);

t.test('it opens without a problem, from this server alone, under a strict policy', async (t) => {
  const answer = await server.get('/playground');
  const policy = answer.headers.get('content-security-policy') ?? '';
  t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  t.notMatch(policy, /unsafe/);
  const page = await open();
  await page.settled();
  t.same(page.problems, []);
  t.ok(page.requests.every((url) => url.startsWith(`${server.url}/`)));
  t.equal(await page.evaluate('document.querySelectorAll(".card").length'), 3, 'a text and two settings');
  const slashed = await server.get('/playground/');
  t.equal(slashed.url, `${server.url}/playground`);
  t.equal((await server.get('/playground/none.ts')).status, 404);
  t.equal((await server.get('/playground/..%2Fapp.ts')).status, 404, 'no file but its own');
});

t.test('a plugin that is dropped in has its form, with its example', async (t) => {
  const page = await open();
  await page.settled();
  await page.fill('.setting-A .name', 'chunker/pieces');
  await page.settled();
  t.match(await page.textOf('.head.setting-A'), 'pieces');
  await page.click('.setting-A > header button[aria-expanded]');
  await page.until('document.querySelector("#A-0-size") !== null');
  t.equal(await page.evaluate('document.querySelector("#A-0-size").value'), '4', 'as in its example');
  t.ok(await page.evaluate('document.querySelector("label[for=A-0-size]").title === "How long pieces are."'));
  t.equal(
    await page.evaluate('document.querySelector("#A-0-only")'),
    null,
    'an option without effect is not there',
  );
  await page.fill('#A-0-mode', '"two"');
  await page.until('document.querySelector("#A-0-only") !== null');
  await page.settled();
  await page.fill('#A-0-size', '1');
  await page.until('document.querySelector("#A-0-size-problem") !== null');
  t.equal(
    await page.textOf('#A-0-size-problem'),
    'size: expected an integer of at least 2, got 1.',
    "in the service's words",
  );
  t.equal(await page.evaluate('document.querySelector("#A-0-size").getAttribute("aria-invalid")'), 'true');
  await page.fill('.setting-A .add', 'marking');
  await page.fill('#A-0-size', '8');
  await page.until('/\\+ marking/.test(document.querySelector(".head.setting-A").textContent)');
});

t.test('colours are those of the offsets: overlaps, gaps, limits', async (t) => {
  const settings = [pieces({ size: 6, overlap: 2, chunk_size: 7 }), pieces({ size: 6, skip: true })];
  const page = await open(await hashOf(settings, TEXT));
  await page.settled();
  const [a, b] = [await page.spans(0), await page.spans(1)];
  for (const spans of [a, b]) t.equal(spans.map(({ text }) => text).join(''), TEXT);
  t.same(withClass(a, 'overlap'), ['ef', 'kl', 'qr', 'wx', '23']);
  t.same(withClass(b, 'gap'), ['g', 'z'], 'what no chunk has');
  t.ok(withClass(a, 'over').length > 0 && withClass(b, 'over').length === 0, 'over the limit of 7');
  t.match(await page.textOf('.numbers tbody tr:nth-child(1)'), /^A 6 6 8 8 8 ! ?5 100 %/);
  t.match(await page.textOf('.numbers tbody tr:nth-child(2)'), / ! ?94\.44 %/, 'not by colour alone');
  t.ok(withClass(b, 'differs').length > 0, 'boundaries that the other has not');
});

t.test('a chunk is chosen by click and by keys, and says what it is', async (t) => {
  const page = await open(await hashOf([pieces({ size: 4 })], '😀😀abcdefgh'));
  await page.settled();
  await page.click('.cell span[data-chunk="1"]');
  await page.until('document.querySelector(".details") !== null');
  t.match(await page.textOf('.details'), /Chunk 1 of 3.* Range 2 – 6 code points Tokens 4.* mode one/);
  await page.fill('.tools label:first-child select', 'byte');
  t.match(await page.textOf('.details'), /Range 8 – 12 bytes/);
  await page.evaluate('document.querySelector(".viewer").focus()');
  await page.press('ArrowDown');
  await page.until('/Chunk 2/.test(document.querySelector(".details").textContent)');
  await page.press('ArrowLeft');
  await page.until('/Chunk 1/.test(document.querySelector(".details").textContent)');
  t.same(withClass(await page.spans(0), 'selected'), ['abcd']);
});

t.test('what is out of date is grey at once, and one edit runs all', async (t) => {
  const page = await open(await hashOf([pieces(), pieces({ size: 5 })], TEXT));
  await page.settled();
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
  t.same(
    (await page.spans(0)).map(({ text }) => text),
    ['short'],
  );
  t.match(await page.textOf('.head.setting-B'), /1 chunk ·/);
  t.match(await page.textOf('.head.setting-A'), /\d ms/);
});

t.test('up to four settings stand side by side', async (t) => {
  const page = await open(await hashOf([pieces()], TEXT));
  await page.settled();
  for (const count of [2, 3, 4]) {
    await page.click('.side > .wide');
    await page.until(`document.querySelectorAll('.head').length === ${count}`);
  }
  await page.settled();
  t.ok(await page.evaluate('document.querySelector(".side > .wide").disabled'));
  t.equal(await page.evaluate('document.querySelectorAll(".row:first-child .cell").length'), 4);
  await page.click('.setting-B button[aria-label^=Remove]');
  await page.until(`document.querySelectorAll('.head').length === 3`);
});

t.test('tokens are marked, by any tokenizer', async (t) => {
  const page = await open(await hashOf([pieces()], 'ab cd'));
  await page.settled();
  await page.fill('.tools label:nth-child(2) select', 'character');
  const marked = `[...(CSS.highlights.get('token') ?? [])].map((range) => range.toString())`;
  await page.until(`${marked}.length > 0`);
  t.same(await page.evaluate(marked), ['b', 'c'], 'every second one');
});

t.test('links hold the settings, and the text only if it is asked for', async (t) => {
  const text = 'lone \ud83d and 😀\r\nend';
  const page = await open(await hashOf([pieces({ size: 3 })], text));
  await page.settled();
  const shown = (await page.spans(0)).map((span) => span.text).join('');
  t.equal(shown.length, text.length);
  await page.until('location.hash.startsWith("#s=")');
  t.notMatch(await page.evaluate('location.hash'), /t=/);
  await page.evaluate('navigator.clipboard.writeText = async (text) => void (window.copied = text)');
  await page.fill('.share input', 'true');
  await page.click('.share button');
  await page.until('window.copied !== undefined');
  const link = await page.evaluate<string>('window.copied');
  const again = await open(link.slice(link.indexOf('#')));
  await again.settled();
  t.same(await again.spans(0), await page.spans(0));
  const broken = await open('#s=nonsense');
  await broken.settled();
  t.equal(
    await broken.evaluate('document.querySelectorAll(".head").length'),
    2,
    'what is no link is left aside',
  );
});

t.test('a setting is copied as a program that does the same', async (t) => {
  const page = await open(await hashOf([pieces({ size: 5, mode: 'two' })], TEXT));
  await page.settled();
  await page.evaluate('navigator.clipboard.writeText = async (text) => void (window.copied = text)');
  await page.click('.setting-A > header button[aria-expanded]');
  await page.until('document.querySelector(".actions select") !== null');
  const copied = async (code: string) => {
    await page.evaluate('window.copied = undefined');
    await page.fill('.actions select', code);
    await page.until('window.copied !== undefined');
    return page.evaluate<string>('window.copied');
  };
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const run = promisify(execFile);
  const cwd = await temporaryFolder(t, {
    'input.txt': TEXT,
    'p.py': await copied('Python'),
    'p.mjs': await copied('JavaScript'),
  });
  const expected = Array.from(
    { length: 8 },
    (_, at) => `${at * 5} ${Math.min(36, at * 5 + 5)} ${Math.min(5, 36 - at * 5)}`,
  );
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

t.test('chunks are saved as JSON Lines and CSV', async (t) => {
  const page = await open(await hashOf([pieces({ size: 20 })], 'a "quoted", text\nof two lines'));
  await page.settled();
  await page.evaluate(
    `URL.createObjectURL = (blob) => { window.saved = blob; return 'data:,'; }; HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; }`,
  );
  await page.click('.setting-A > header button[aria-expanded]');
  await page.until('document.querySelector(".actions select") !== null');
  await page.fill('.actions select:nth-child(2)', 'csv');
  t.equal(await page.evaluate('window.savedName'), 'chunks-A.csv');
  const csv = await page.evaluate<string>('window.saved.text()');
  t.match(csv, /^text,start_index,end_index,token_count,mode\r\n"a ""quoted"", text\nof ",0,20,20,one\r\n/);
  await page.fill('.actions select:nth-child(2)', 'jsonl');
  const lines = (await page.evaluate<string>('window.saved.text()')).trim().split('\n');
  t.same(
    lines.map((line) => JSON.parse(line).end_index),
    [20, 29],
  );
});

t.test(
  'a question marks the best chunks, and the answer gives their scores',
  needs('embedding/static', 'tokenizer/huggingface', 'chunker/sentence'),
  async (t) => {
    const text = 'Bread needs flour and water. The moon moves around the earth. Cats sleep all day.';
    const page = await open(
      await hashOf([[{ kind: 'chunker', name: 'sentence', options: { chunk_size: 35 } }]], text),
    );
    await page.settled();
    await page.evaluate('window.kept = document.querySelector(".cell span")');
    await page.fill('.ask', 'What circles our planet?');
    t.ok(
      await page.evaluate('window.kept.isConnected'),
      'typing leaves the text alone, and what is selected in it',
    );
    await page.fill('.count', '1');
    await page.evaluate(`(() => {
    const span = document.querySelector('.cell span[data-chunk="1"]');
    getSelection().setBaseAndExtent(span.firstChild, 4, span.firstChild, 8);
  })()`);
    await page.click('.question form button[type=button]');
    await page.click('.question form button:not([type])');
    await page.until('document.querySelector(".found") !== null');
    t.match(
      await page.textOf('.found'),
      /A chunk 1 0\.\d+ recall 100\.0 % · precision 12\.\d % · IoU 12\.\d %/,
    );
    t.same(withClass(await page.spans(0), 'hit'), ['The moon moves around the earth. ']);
    await page.click('.setting-A > header button[aria-expanded]');
    await page.until('document.querySelector("#A-0-chunk_size") !== null');
    await page.fill('#A-0-chunk_size', '70');
    await page.until('/chunk 0/.test(document.querySelector(".found")?.textContent)');
    t.match(
      await page.textOf('.found'),
      /A chunk 0 0\.\d+ recall 100\.0 % · precision 6\.\d %/,
      'asked again',
    );
  },
);

t.test('a file is read by the service, and dropped onto the page', needs('reader/text'), async (t) => {
  const page = await open(await hashOf([pieces({ size: 50 })], TEXT));
  await page.settled();
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([0x5a, 0x77, 0xf6, 0x6c, 0x66, 0x20, 0x42, 0xe4, 0x72, 0x65, 0x6e, 13, 10])], 'b.txt'));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  await page.until('/b.txt/.test(document.querySelector("section[aria-label=Text]").textContent)');
  await page.settled();
  t.same(
    (await page.spans(0)).map(({ text }) => text),
    ['Zwölf Bären\r\n'],
    'windows-1252, with CRLF',
  );
  t.match(await page.textOf('section[aria-label=Text]'), /lines end with CRLF/);
});

t.test('text does nothing but be shown, on the page and in the report', async (t) => {
  const text = `<script>window.hacked = 1</script></style><img src=x onerror="window.hacked = 1">javascript:window.hacked=1 \0 \u2028`;
  const page = await open(await hashOf([pieces({ size: 7 })], text));
  await page.settled();
  t.equal((await page.spans(0)).map((span) => span.text).join('').length, text.length);
  await page.evaluate(
    `URL.createObjectURL = (blob) => { window.saved = blob; return 'data:,'; }; HTMLAnchorElement.prototype.click = () => {};`,
  );
  await page.click('.share button:last-child');
  const report = await page.evaluate<string>('window.saved.text()');
  t.match(report, /^<!doctype html>/);
  t.match(
    report,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
  );
  const path = await temporaryFolder(t, { 'report.html': report });
  const opened = await browser.open(`file://${path}/report.html`);
  t.equal(await opened.evaluate('window.hacked'), undefined);
  t.equal(await opened.evaluate('document.querySelectorAll("script, img").length'), 0);
  t.same(
    opened.requests.filter((url) => !url.startsWith('file:')),
    [],
  );
  t.match(
    await opened.evaluate('document.querySelector(".text").textContent'),
    '<script>window.hacked = 1</script>',
  );
  t.equal(await page.evaluate('window.hacked'), undefined);
  t.same(page.problems, []);
});
