import type { Test } from 'tap';
import { type BlockCounter, startBlockCounter } from './executed-blocks.ts';

const SMALL = 1000;
const FACTOR = 8;
/** 2.3 times the work for twice the text. */
const MAX_GROWTH = 2.3 ** 3;

/** Texts of about a given length that may make work grow with the square of it. */
export type Shapes = Readonly<Record<string, (length: number) => string>>;

/** Texts of one piece that is repeated, each named by it. */
export function repeated(...pieces: readonly string[]): Shapes {
  const shapes = pieces.map((piece) => {
    return [JSON.stringify(piece), (length: number) => piece.repeat(length / piece.length)] as const;
  });
  return Object.fromEntries(shapes);
}

/**
 * Has work counted on short and on longer texts of each shape, with each request: it must be linear in the text.
 *
 * @param counter one that was started before what the work needs was imported
 */
export async function checkLinearWork(
  t: Test,
  shapes: Shapes,
  requests: readonly object[],
  run: (text: string, request: object, shape: string) => Promise<unknown>,
  counter: BlockCounter,
): Promise<void> {
  for (const [shape, make] of Object.entries(shapes)) {
    for (const request of requests) {
      const workOf = (length: number) => {
        const text = make(length);
        return counter.count(() => run(text, request, shape));
      };
      const growthFrom = async (length: number) => (await workOf(length * FACTOR)) / (await workOf(length));
      // The first run may load something.
      await run(make(SMALL), request, shape);
      let growth = await growthFrom(SMALL);
      // Some work only begins at some length; what is not linear grows too fast from there on as well.
      for (const times of [4, 16]) if (growth >= MAX_GROWTH) growth = await growthFrom(SMALL * times);
      t.ok(
        growth < MAX_GROWTH,
        `${shape} ${JSON.stringify(request)}: ${growth.toFixed(1)} times for ${FACTOR} times`,
      );
    }
  }
}

/** Has the work of requests to a chunker counted. Nothing may have run in this process before. */
export async function checkLinearChunker(
  t: Test,
  name: string,
  shapes: Shapes,
  requests: readonly object[],
  optionsFor: (shape: string) => object = () => ({}),
): Promise<void> {
  const counter = await startBlockCounter(t);
  const { composeQuietly, runTask } = await import('./service.ts');
  const { service } = await composeQuietly();
  const run = (text: string, request: object, shape: string) =>
    runTask(service, { run: 'chunk', name }, { text, ...request, ...optionsFor(shape) });
  await checkLinearWork(t, shapes, requests, run, counter);
}
