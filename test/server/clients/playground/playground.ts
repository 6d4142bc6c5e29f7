import type { Browser, Page } from '../../../support/browser.ts';
import type { Client } from '../../../support/server.ts';

/** The playground in a browser, as a user sees and uses it. */
export interface Playground extends Page {
  /** Waits until all settings have run and are shown. */
  settled(): Promise<void>;
  /** Makes the screen one of a phone, or of a computer if it is wider. */
  resize(width: number, height: number): Promise<void>;
  /** Presses a key where the focus is. */
  press(key: string): Promise<void>;
  /** Clicks the first element of a selector. */
  click(selector: string): Promise<void>;
  /** Fills a field, or chooses of a list, as a user does. */
  fill(selector: string, value: string): Promise<void>;
  /** Opens the form of the first setting, and waits until it has such an element. */
  openForm(selector: string): Promise<void>;
  /** How many elements of a selector there are. */
  count(selector: string): Promise<number>;
  /** The text of the first element of a selector. */
  textOf(selector: string): Promise<string>;
  /** The stretches of the text in a column: where they begin, their text, their chunk and their classes. */
  spans(column: number): Promise<readonly Span[]>;
}

export interface Span {
  readonly start: number;
  readonly text: string;
  readonly chunk: number;
  readonly classes: string;
}

/** Opens the playground. @param hash of the address, with the settings */
export async function openPlayground(
  browser: Browser,
  client: Pick<Client, 'url'>,
  hash = '',
): Promise<Playground> {
  const page = await browser.open(`${client.url}/playground${hash}`);
  const element = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;
  const playground: Playground = {
    ...page,
    settled: () =>
      page.until(
        `document.querySelectorAll('.head').length > 0 && !document.querySelector('.head.stale') && !/running/.test(document.querySelector('.heads').textContent) && document.querySelectorAll('.cell').length > 0`,
      ),
    async resize(width, height) {
      const screen = { width, height, deviceScaleFactor: 1, mobile: width < 500 };
      await page.send('Emulation.setDeviceMetricsOverride', screen);
    },
    async press(key) {
      const code = { Escape: { windowsVirtualKeyCode: 27 }, Enter: { text: '\r' } }[key];
      await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key, ...code });
      await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key, ...code });
    },
    click: (selector) => page.evaluate(`void ${element(selector)}.click()`),
    fill: (selector, value) =>
      page.evaluate(`(() => {
        const field = ${element(selector)};
        if (field.type === 'checkbox') field.checked = ${JSON.stringify(value)} === 'true';
        else field.value = ${JSON.stringify(value)};
        for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
      })()`),
    async openForm(selector) {
      await playground.click('.setting-A > header button[aria-expanded]');
      await page.until(`${element(selector)} !== null`);
    },
    count: (selector) => page.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`),
    textOf: (selector) => page.evaluate(`${element(selector)}?.innerText.replace(/\\s+/g, ' ').trim() ?? ''`),
    spans: (column) =>
      page.evaluate(`[...document.querySelectorAll('.cell[data-column="${column}"] span[data-start]')]
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
): Promise<Playground> {
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
