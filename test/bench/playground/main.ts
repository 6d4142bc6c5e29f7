import { findChromium, startBrowser } from '../../support/browser.ts';
import { hashOf, openPlayground, type Playground } from '../../support/playground.ts';
import { startServer } from '../../support/server.ts';

/** How quickly the playground shows large texts, in a browser without a graphics card: numbers of one run. */

const chromium = findChromium();
if (chromium === undefined) {
  console.log('There is no Chromium on this machine; CHROMIUM can name one.');
  process.exit(0);
}

const ends: (() => unknown)[] = [];
const cleanup = { teardown: (end: () => unknown) => void ends.unshift(end) };
const server = await startServer(cleanup, { workers: 1 });
const browser = await startBrowser(cleanup, chromium);
const settings = [[{ kind: 'chunker', name: 'recursive', options: { chunk_size: 400 } }]];

const WORDS =
  'the tide turns at noon and nobody who waits on the quay has seen a ship since the long winter'.split(' ');

/** Prose of about so many characters, in paragraphs. */
function prose(length: number): string {
  let text = '';
  for (let at = 0; text.length < length; at++) {
    text += WORDS[(at * 7 + (at >> 3)) % WORDS.length];
    text += at % 90 === 89 ? '.\n\n' : at % 13 === 12 ? '. ' : ' ';
  }
  return text;
}

/** Drops a text onto the page; gives the milliseconds from its answer until its first colours are painted. */
function show(page: Playground, text: string): Promise<number> {
  return page.evaluate(`(async () => {
    performance.clearResourceTimings();
    performance.setResourceTimingBufferSize(1000);
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(text)}], 'large.txt'));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    const isShown = () => document.querySelector('.name').value === 'large.txt' && document.querySelector('.cell:not(.stale) span.even') !== null;
    while (!isShown()) await new Promise((done) => requestAnimationFrame(done));
    const painted = await new Promise((done) => requestAnimationFrame(done));
    const answers = performance.getEntriesByType('resource').filter(({ name }) => /v1\\/chunk\\/\\w+$/.test(name));
    return performance.now() - Math.max(...answers.map(({ responseEnd }) => responseEnd));
  })()`);
}

interface Scrolled {
  readonly frames: number;
  readonly slow: number;
  readonly longest: number;
  readonly task: number;
}

/** Scrolls through the text for some seconds; gives its frames, those over 33 ms, and the longest task in ms. */
function scroll(page: Playground, seconds: number): Promise<Scrolled> {
  return page.evaluate(`(async () => {
    let task = 0;
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (task = Math.max(task, duration))));
    observer.observe({ type: 'longtask' });
    const viewer = document.querySelector('.viewer');
    const times = [];
    const end = performance.now() + ${1000 * seconds};
    for (let before = await new Promise(requestAnimationFrame); performance.now() < end; ) {
      viewer.scrollTop += 240;
      const now = await new Promise(requestAnimationFrame);
      times.push(now - before);
      before = now;
    }
    await new Promise((done) => setTimeout(done, 100));
    observer.disconnect();
    return { frames: times.length, slow: times.filter((time) => time > 33.4).length, longest: Math.max(...times), task };
  })()`);
}

for (const size of [1_000_000, 5_000_000]) {
  const page = await openPlayground(browser, server, await hashOf(settings, 'a'));
  await page.settled();
  const colours = await show(page, prose(size));
  const { frames, slow, longest, task } = await scroll(page, 5);
  const share = ((100 * slow) / frames).toFixed(1);
  console.log(
    `${size / 1e6} MB: first colours ${colours.toFixed(0)} ms after the answer; scrolling ${(frames / 5).toFixed(0)} frames a second, ${share} % over 33 ms, longest ${longest.toFixed(0)} ms; longest task ${task.toFixed(0)} ms`,
  );
}
for (const end of ends) await end();
process.exit(0);
