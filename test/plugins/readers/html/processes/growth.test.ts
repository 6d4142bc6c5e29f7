import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { HOSTILE_PAGES } from '../hostile-pages.ts';

/** Bytes of pages, beyond the depth at which nesting is flattened. */
const SIZES = [30_000, 120_000] as const;
/** Twice that of the slowest of these pages. */
const MAX_BLOCKS_PER_BYTE = 100;
const MAX_GROWTH = 1.5;

t.test('the work is linear in the page, however hostile it is, and not much for a byte', async (t) => {
  const counter = await startBlockCounter(t);
  const { default: createReader } = await import('../../../../../plugins/readers/html/index.ts');
  const { readWith } = await import('../../reading.ts');
  const run = (page: string) => readWith(createReader, page).catch(() => undefined);
  for (const [what, make] of Object.entries(HOSTILE_PAGES)) {
    await run(make(1000));
    const perByte = async (bytes: number) => (await counter.count(() => run(make(bytes)))) / bytes;
    const [small, large] = [await perByte(SIZES[0]), await perByte(SIZES[1])];
    t.ok(large < MAX_BLOCKS_PER_BYTE, `${what}: ${large.toFixed(0)} blocks for each byte`);
    t.ok(large < small * MAX_GROWTH + 1, `${what}: ${(large / small).toFixed(2)} times as many`);
  }
});
