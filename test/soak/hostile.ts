import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { growthRequests, SHAPES } from '../../server/testing/checks/growth.ts';
import { unlessRefused } from '../../server/testing/report.ts';
import { isHere } from '../support/here.ts';
import type { Shapes } from '../support/linear-work.ts';
import { composeQuietly, runTask } from '../support/service.ts';
import { minTime } from './least-time.ts';
import { checkNone, type Mode } from './mode.ts';

const MEGABYTE = 1_000_000;
/** How many times as long the longer text is: over a single doubling, a larger heap looks like growth. */
const LONGER = 5;
/** For a megabyte of what is hard on one parser; what is hard on others may make as many chunks. */
const MAX_MS = 1000;
/** 2.3 times the time for twice the text, and as much for each further doubling. */
const MAX_GROWTH = 2.3;
/** Shorter times say little of how they grow: some garbage collections are as long. */
const MIN_MS = 50;
/** How often what is over a limit is measured again: a busy machine can only add to a time. */
const REPEATS = 5;
/** From how many milliseconds on the time of `token` is shown beside it. */
const SLOW_MS = 500;

const SETTINGS = [
  { tokenizer: 'character', chunk_size: 512 },
  ...(isHere('tokenizer/tiktoken') ? [{ tokenizer: 'cl100k_base', chunk_size: 256 }] : []),
];

/** What a chunker's tests have in `hostile-shapes.ts`. */
interface HostileInput {
  readonly HOSTILE_SHAPES: Shapes;
  /** Further options for a shape. */
  optionsFor?(shape: string): object;
}

/** A text of one shape, what a chunker took for it, and how many times that is when its length doubles. */
interface Measured {
  readonly what: string;
  readonly maxMs: number;
  readonly ms: number;
  readonly growth: number;
  /** What `token` took for the same text, which is little more than the time of the tokenizer. */
  readonly tokenMs: number;
}

/** Makes a request of about so many letters; what it gives runs it. */
type Prepare = (length: number) => () => Promise<unknown>;

/** A shape that a chunker is given, and the same for `token`. */
interface Case {
  readonly what: string;
  readonly maxMs: number;
  readonly own: Prepare;
  readonly token: Prepare;
}

/** A chunker keeps to time on the texts that are hard on its parser, which stand among its tests, and on those of all. */
export const hostile: Mode = {
  title: `hostile: processor time of 1 MB and ${LONGER} MB that are hard on parsers`,
  defaults: { seconds: 0, count: 2 },
  async run(_t, { count, only = '' }) {
    const measured: Measured[] = [];
    const failed: string[] = [];
    const cases = [...(await hostileCases()), ...(await casesOfAll())];
    for (const one of cases.filter(({ what }) => what.includes(only))) {
      try {
        measured.push(await measure(one, count));
      } catch (error) {
        failed.push(`${one.what}: ${error}`);
      }
    }
    return {
      figures: measured.map((one) => [one.what, figureOf(one)] as const),
      checks: [
        checkNone(
          `more than ${MAX_MS} ms for 1 MB`,
          measured.filter(({ ms, maxMs }) => ms > maxMs).map(({ what, ms }) => `${what}: ${shown(ms)}`),
        ),
        checkNone(
          `more than ${MAX_GROWTH} times the time for twice the text, from 1 MB to ${LONGER} MB`,
          measured
            .filter(({ growth }) => growth > MAX_GROWTH)
            .map(({ what, growth }) => `${what}: ${growth.toFixed(2)} times`),
        ),
        checkNone('an error', failed),
      ],
    };
  },
};

async function hostileCases(): Promise<Case[]> {
  const { service } = await composeQuietly();
  const inputs = await Promise.all(
    globSync(join(import.meta.dirname, '../plugins/chunkers/*/hostile-shapes.ts'))
      .toSorted()
      .map(async (file) => [basename(dirname(file)), (await import(file)) as HostileInput] as const),
  );
  return inputs.flatMap(([name, { HOSTILE_SHAPES, optionsFor }]) =>
    SETTINGS.flatMap((setting) =>
      Object.entries(HOSTILE_SHAPES).map(([shape, make]) => {
        const runOf = (name: string, options: object) => (length: number) => {
          const body = Buffer.from(JSON.stringify({ text: make(length), ...setting, ...options }));
          return () => runTask(service, { run: 'chunk', name }, body);
        };
        return {
          what: `${name}, ${setting.tokenizer}, ${shape}`,
          maxMs: MAX_MS,
          own: runOf(name, optionsFor?.(shape) ?? {}),
          token: runOf('token', {}),
        };
      }),
    ),
  );
}

/** Texts that have made other splitters quadratic, for every chunker; shorter, as there are hundreds. */
async function casesOfAll(): Promise<Case[]> {
  const { registry, service } = await composeQuietly();
  const chunkers = registry.ofKind('chunker').filter(({ missing }) => missing.length === 0);
  return chunkers.flatMap(({ manifest: { name, options } }) =>
    Object.entries(SHAPES).flatMap(([shape, make]) =>
      growthRequests(options?.properties).map((request) => {
        const own: Prepare = (length) => {
          const body = Buffer.from(JSON.stringify({ text: make(length / 5), ...request }));
          return () => unlessRefused(runTask(service, { run: 'chunk', name }, body));
        };
        const what = `${name}, ${shape} ${JSON.stringify(request)}`;
        return { what, maxMs: Number.POSITIVE_INFINITY, own, token: own };
      }),
    ),
  );
}

async function measure({ what, maxMs, own, token }: Case, count: number): Promise<Measured> {
  const timeOf = (run: Prepare, length: number) => minTime(count, () => run(length));
  let [ms, growth] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run <= REPEATS && (ms > maxMs || growth > MAX_GROWTH); run++) {
    // One right behind the other: the speed of a busy machine changes.
    const single = await timeOf(own, MEGABYTE);
    const longer = await timeOf(own, LONGER * MEGABYTE);
    ms = Math.min(ms, single);
    growth = Math.min(growth, (longer / Math.max(single, MIN_MS)) ** (1 / Math.log2(LONGER)));
  }
  const tokenMs = ms > SLOW_MS && token !== own ? await timeOf(token, MEGABYTE) : Number.NaN;
  return { what, maxMs, ms, growth, tokenMs };
}

function figureOf({ ms, growth, tokenMs }: Measured): string {
  const beside = Number.isNaN(tokenMs) ? '' : `, token ${shown(tokenMs)}`;
  return `${shown(ms)}, ${growth.toFixed(1)} times for twice the text${beside}`;
}

function shown(ms: number): string {
  return `${Math.round(ms)} ms`;
}
