import type { Test } from 'tap';
import { startBlockCounter } from './executed-blocks.ts';

const SMALL = 2000;
const FACTOR = 8;
/** 2.3 times the work for twice the text. */
const MOST_GROWTH = 2.3 ** 3;

/** Texts of about a given length that may make work grow with the square of it. */
export type Shapes = Readonly<Record<string, (length: number) => string>>;

/** Has work counted on short and on longer texts of each shape, with each request: it must be linear in the text. */
export async function checkLinearWork(
  t: Test,
  shapes: Shapes,
  requests: readonly object[],
  run: (text: string, request: object, shape: string) => Promise<unknown>,
): Promise<void> {
  const counter = await startBlockCounter();
  t.teardown(() => counter.stop());
  for (const [shape, make] of Object.entries(shapes)) {
    for (const request of requests) {
      const workOf = async (length: number) => {
        const text = make(length);
        // The first run may load something.
        await run(text, request, shape);
        return counter.count(() => run(text, request, shape));
      };
      const measure = async () => (await workOf(SMALL * FACTOR)) / (await workOf(SMALL));
      const first = await measure();
      // V8 may drop the counts of code that it throws away; what is not linear is over the limit each time.
      const growth = first < MOST_GROWTH ? first : Math.min(first, await measure());
      t.ok(
        growth < MOST_GROWTH,
        `${shape} ${JSON.stringify(request)}: ${growth.toFixed(1)} times for ${FACTOR} times`,
      );
    }
  }
}
