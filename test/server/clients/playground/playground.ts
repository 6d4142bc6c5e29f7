import type { Browser } from '../../../support/browser.ts';
import type { Client } from '../../../support/server.ts';

export interface Span {
  readonly start: number;
  readonly text: string;
  readonly chunk: number;
  readonly classes: string;
}

const SETTLED = [
  "document.querySelectorAll('.head').length > 0 && document.querySelectorAll('.cell').length > 0",
  "!document.querySelector('.head.stale') && !/running/.test(document.querySelector('.heads').textContent)",
].join(' && ');

/** Opens the playground. @param hash of the address, with the settings */
export async function openPlayground(browser: Browser, client: Pick<Client, 'url'>, hash = '') {
  const page = await browser.open(`${client.url}/playground${hash}`);
  const element = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;
  const click = (selector: string) => page.evaluate(`void ${element(selector)}.click()`);
  const playground = {
    ...page,
    /** Waits until all settings have run and are shown. */
    settled: () => page.until(SETTLED),
    /** Makes the screen one of a phone, or of a computer if it is wider. */
    async resize(width: number, height: number) {
      const screen = { width, height, deviceScaleFactor: 1, mobile: width < 500 };
      await page.send('Emulation.setDeviceMetricsOverride', screen);
    },
    /** Presses a key where the focus is. */
    async press(key: string) {
      const code = { Escape: { windowsVirtualKeyCode: 27 }, Enter: { text: '\r' } }[key];
      await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key, ...code });
      await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key, ...code });
    },
    /** Clicks the first element of a selector. */
    click,
    /** Fills a field, or chooses of a list, as a user does. */
    fill: (selector: string, value: string) =>
      page.evaluate(`(() => {
        const field = ${element(selector)};
        if (field.type === 'checkbox') field.checked = ${JSON.stringify(value)} === 'true';
        else field.value = ${JSON.stringify(value)};
        for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
      })()`),
    /** Opens the form of the first setting, and waits until it has such an element. */
    async openForm(selector: string) {
      await click('.setting-A > header button[aria-expanded]');
      await page.until(`${element(selector)} !== null`);
    },
    /** How many elements of a selector there are. */
    count: (selector: string) =>
      page.evaluate<number>(`document.querySelectorAll(${JSON.stringify(selector)}).length`),
    /** The text of the first element of a selector. */
    textOf: (selector: string) =>
      page.evaluate<string>(`${element(selector)}?.innerText.replace(/\\s+/g, ' ').trim() ?? ''`),
    /** The stretches of the text in a column: where they begin, their text, their chunk and their classes. */
    spans: (column: number) =>
      page.evaluate<
        readonly Span[]
      >(`[...document.querySelectorAll('.cell[data-column="${column}"] span[data-start]')]
        .map((span) => ({ start: Number(span.dataset.start), text: span.textContent, chunk: Number(span.dataset.chunk), classes: span.className }))
        .sort((a, b) => a.start - b.start)`),
  };
  // Room for all columns.
  await playground.resize(1440, 900);
  return playground;
}

/** Opens the playground with settings and a text, and waits until they are shown. */
export async function showPlayground(
  browser: Browser,
  client: Pick<Client, 'url'>,
  settings: readonly (readonly object[])[],
  text: string,
) {
  const page = await openPlayground(browser, client, await hashOf(settings, text));
  await page.settled();
  return page;
}

/** The hash of an address with settings and a text. */
async function hashOf(settings: readonly (readonly object[])[], text: string): Promise<string> {
  const stream = new Blob([JSON.stringify(text)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const packed = Buffer.from(await new Response(stream).arrayBuffer()).toString('base64url');
  return `#s=${encodeURIComponent(JSON.stringify(settings))}&t=${packed}`;
}

/** A script that drops a file onto the page. */
export const dropped = (name: string, bytes: Iterable<number>) => `(() => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array([${[...bytes]}])], '${name}'));
  document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
})()`;

export const textsOf = (spans: readonly Span[]) => spans.map(({ text }) => text);

/** The texts of those that have a class. */
export const withClass = (spans: readonly Span[], name: string) =>
  textsOf(spans.filter(({ classes }) => classes.split(' ').includes(name)));
