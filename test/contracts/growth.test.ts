import t from 'tap';
import { composeQuietly } from '../support/service.ts';

/** Texts that have made other splitters quadratic, of about a given length. */
const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  'one word': (length) => 'x'.repeat(length),
  'words without any other delimiter': (length) => 'abc '.repeat(length / 4),
  'one delimiter': (length) => `${'\n'.repeat(length - 1)}x`,
  'ends of sentences': (length) => '. '.repeat(length / 2),
  'short lines': (length) => 'a\n'.repeat(length / 2),
  'short paragraphs': (length) => 'ab\n\n'.repeat(length / 4),
  'white space': (length) => `${' '.repeat(length - 1)}x`,
  'Chinese without punctuation': (length) => '漢'.repeat(length),
  emoji: (length) => '😀'.repeat(length / 2),
  'headings and fences': (length) => '# a\n```\n'.repeat(length / 8),
};
const REQUESTS = [{}, { chunk_size: 64, chunk_overlap: 63 }, { chunk_size: 3 }];
const SMALL = 6_000;
const FACTOR = 32;
/** Quadratic cost would show as FACTOR squared; the rest is room for a busy machine. */
const MOST_GROWTH = FACTOR * 5;

const { registry, service } = await composeQuietly();

for (const { manifest } of registry.ofKind('chunker').filter(({ missing }) => missing.length === 0)) {
  const takes = (name: string) => name in (manifest.options?.properties ?? {});
  t.test(`${manifest.name} takes time linear in the text`, async (t) => {
    for (const [shape, make] of Object.entries(SHAPES)) {
      for (const request of REQUESTS) {
        const options = Object.fromEntries(Object.entries(request).filter(([name]) => takes(name)));
        const time = async (length: number) => {
          const body = Buffer.from(JSON.stringify({ text: make(length), ...options }));
          return leastTime(2, () =>
            service.prepare({ run: 'chunk', name: manifest.name }, body).run(new AbortController().signal),
          );
        };
        const small = await time(SMALL);
        const growth = (await time(SMALL * FACTOR)) / Math.max(small, 0.5);
        t.ok(
          growth < MOST_GROWTH,
          `${shape} ${JSON.stringify(options)}: ${growth.toFixed(1)} times for ${FACTOR} times`,
        );
      }
    }
  });
}

/** Least processor time of several runs, in milliseconds; waiting for other processes does not count. */
async function leastTime(runs: number, work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
