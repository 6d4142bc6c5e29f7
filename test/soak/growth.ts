import { growthRequests, SHAPES } from '../../server/testing/cases/growth-shapes.ts';
import { unlessRefused } from '../../server/testing/ledger.ts';
import { composeQuietly, runTask } from '../support/service.ts';
import { tokenizerGrowth } from './growth-of-tokenizers.ts';
import { type Growth, leastTime } from './least-time.ts';
import type { Mode } from './mode.ts';

const SMALL = 6_000;
const FACTOR = 32;
/** Quadratic cost would show as FACTOR squared; the rest is room for a busy machine. */
const MOST_GROWTH = FACTOR * 5;

/** Time grows with the text, not with its square, for every chunker and every encoding. */
export const growth: Mode = {
  title: 'growth: processor time on texts that have made others quadratic',
  defaults: { seconds: 0, count: 2 },
  async run(_t, { count, seed }) {
    const measure = async () => [...(await chunkerGrowth(count)), ...(await tokenizerGrowth(count, seed))];
    const first = await measure();
    // A busy machine can only add to a time, so what is over the limit is measured again.
    const grown = first.some(isOver) ? leastOf(first, await measure()) : first;
    const share = ({ times, most }: Growth) => times / most;
    const worst = grown.toSorted((a, b) => share(b) - share(a)).slice(0, 5);
    const over = grown.filter(isOver);
    const shown = (list: readonly Growth[]) =>
      list.map(({ what, times, most }) => `${what}: ${times.toFixed(1)} times, at most ${most}`);
    return {
      figures: shown(worst).map((one, index) => [`worst ${index + 1}`, one] as const),
      checks: [
        {
          what: `of ${grown.length} measured, over the limit: 0`,
          found: [over.length, ...shown(over)].join(', ').slice(0, 1000),
          isKept: over.length === 0 && grown.length > 0,
        },
      ],
    };
  },
};

function isOver({ times, most }: Growth): boolean {
  return times >= most;
}

function leastOf(first: readonly Growth[], second: readonly Growth[]): Growth[] {
  return first.map((one, index) => {
    const times = Math.min(one.times, second[index]?.times ?? Number.POSITIVE_INFINITY);
    return { ...one, times };
  });
}

async function chunkerGrowth(runs: number): Promise<Growth[]> {
  const { registry, service } = await composeQuietly();
  const found: Growth[] = [];
  for (const { manifest } of registry.ofKind('chunker').filter(({ missing }) => missing.length === 0)) {
    for (const [shape, make] of Object.entries(SHAPES)) {
      for (const options of growthRequests(manifest.options?.properties)) {
        const timeOf = (length: number) => {
          const body = Buffer.from(JSON.stringify({ text: make(length), ...options }));
          const task = { run: 'chunk', name: manifest.name } as const;
          return leastTime(runs, () => () => unlessRefused(runTask(service, task, body)));
        };
        const small = Math.max(await timeOf(SMALL), 0.5);
        const times = (await timeOf(SMALL * FACTOR)) / small;
        found.push({
          what: `${manifest.name}, ${shape} ${JSON.stringify(options)}`,
          times,
          most: MOST_GROWTH,
        });
      }
    }
  }
  return found;
}
