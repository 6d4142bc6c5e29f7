import { dirname } from 'node:path';
import fc from 'fast-check';
import type { Chunk } from '../../core/contracts/chunk.ts';
import { ServiceError } from '../../core/errors.ts';
import { isLacking } from '../../core/hosting/plugin-error.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { withLine } from '../plugins/loader/import-factory.ts';
import { type Broken, BrokenContract } from './broken-contract.ts';
import type { COMMON, Exemptions, PromiseOf, SuiteOptions } from './promises.ts';

export class Ledger<P extends string> {
  readonly #broken = new Map<string, Broken>();
  readonly #exemptions: Exemptions;

  constructor(exemptions: Exemptions = {}) {
    this.#exemptions = exemptions;
  }

  expect(holds: boolean, promise: P | PromiseOf<typeof COMMON>, where?: string): void {
    if (!holds && this.#exemptions[promise] === undefined && !this.#broken.has(promise))
      this.#broken.set(promise, { promise, where });
  }

  /** Records a broken promise if there is a fault. @param wrong where the fault is; undefined if none */
  expectNone(wrong: string | undefined, promise: P): void {
    this.expect(wrong === undefined, promise, wrong);
  }

  /** Records a broken promise if an item is not right, with the place of the first such item. */
  expectEach<T>(
    items: readonly T[],
    isRight: (item: T, index: number) => boolean,
    placeOf: (item: T, index: number) => string,
    promise: P,
  ): void {
    this.expectNone(firstWrong(items, isRight, placeOf), promise);
  }

  /** Records an error of a plugin. @throws the error if this machine lacks something that the plugin needs */
  caught(error: unknown, { file }: PluginEntry): void {
    if (isLacking(error)) throw error;
    if (error instanceof BrokenContract) for (const one of error.broken) this.#note(one, one.isLast);
    else if (error instanceof ServiceError && error.code === 'broken_promise')
      this.unanswered('its results match the contract of its kind', String(error.values.reason));
    else this.unanswered('it does not throw', thrownIn(error, dirname(file)));
  }

  /** Records that a call gave no usable answer, so its other promises could not be checked. */
  unanswered(promise: P | PromiseOf<typeof COMMON>, where: string): void {
    this.#note({ promise, where });
  }

  /** Records a broken promise after which no further cases are tried. */
  stop(promise: P, where: string): void {
    this.#note({ promise, where }, true);
  }

  #note({ promise, where }: Broken, isLast = false): void {
    if (this.#exemptions[promise] === undefined)
      this.#broken.set(promise, { promise, where, isUnanswered: true, isLast });
  }

  /** @throws BrokenContract if a promise was broken */
  close(): void {
    if (this.#broken.size > 0) throw new BrokenContract([...this.#broken.values()]);
  }
}

export function thrownIn(error: unknown, folder: string): string {
  if (error instanceof ServiceError && error.cause === undefined) return error.message;
  const thrown = error instanceof ServiceError ? error.cause : error;
  if (!(thrown instanceof Error)) return String(thrown);
  return withLine(String(thrown), thrown, folder);
}

/** Tries generated cases. @throws BrokenContract with the smallest case found that breaks a promise */
export async function holdFor<Case, P extends string>(
  plugin: PluginEntry,
  cases: fc.Arbitrary<Case>,
  check: (one: Case, ledger: Ledger<P>) => unknown,
  { runs, seed, exemptions, onCase }: SuiteOptions & { readonly runs: number },
): Promise<void> {
  const hold = async (one: Case): Promise<void> => {
    onCase?.(one);
    await expectOnce<P, unknown>(plugin, exemptions, async (ledger) => check(one, ledger));
  };
  const property = fc.asyncProperty(cases, hold);
  const found = await fc.check(property, { numRuns: runs, ...(seed !== undefined && { seed }) });
  if (!found.failed) return;
  const { errorInstance: error, counterexample } = found;
  if (!(error instanceof BrokenContract) || counterexample === null) throw error;
  const promise = error.broken[0]?.promise;
  const attempt = async (one: Case) => {
    const thrown = await hold(one).catch((reason: unknown) => reason);
    const isSame = thrown instanceof BrokenContract && thrown.broken.some((one) => one.promise === promise);
    return isSame ? thrown : undefined;
  };
  const smallest = await withSmallestText({ value: counterexample[0], error }, attempt);
  throw new BrokenContract(smallest.error.broken, { value: smallest.value, seed: found.seed });
}

/** Waits for work. If the plugin refuses the input as invalid, calls `onRefusal` and returns `undefined`. */
export async function unlessRefused<T>(
  work: Promise<T>,
  onRefusal: (error: ServiceError) => void = () => {},
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'invalid_parameters')) throw error;
    onRefusal(error);
    return undefined;
  }
}

export async function endsOnAbort(call: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
  const reason = new Error('nobody waits');
  try {
    await call(AbortSignal.abort(reason));
  } catch (error) {
    return error === reason;
  }
  return false;
}

/** Names that no plugin can know. */
const NOBODYS = ['there is no such name', '../../../package', '__proto__', '\0'];

export const isName = (name: unknown): boolean => typeof name === 'string' && name !== '';
export const quoted = (name: unknown): string => JSON.stringify(name) ?? String(name);

export async function checkNames(
  names: readonly string[],
  open: (name: string) => Promise<unknown>,
  ledger: Ledger<'names are non-empty strings' | 'a name is listed once' | 'an unknown name opens nothing'>,
): Promise<void> {
  ledger.expectEach(names, isName, quoted, 'names are non-empty strings');
  ledger.expectEach(names, (name, at) => names.indexOf(name) === at, quoted, 'a name is listed once');
  const opened = await Promise.all(NOBODYS.map(open));
  ledger.expectEach(NOBODYS, (_, at) => opened[at] === undefined, quoted, 'an unknown name opens nothing');
}

export const chunkPlace = (
  { start_index, end_index }: Pick<Chunk, 'start_index' | 'end_index'>,
  index: number,
): string => `chunk ${index} [${start_index}, ${end_index})`;

/** Place of the first wrong item, such as `chunk 2 [4, 9)`; `undefined` if all items are right. */
export function firstWrong<T>(
  items: readonly T[],
  isRight: (item: T, index: number) => boolean,
  placeOf: (item: T, index: number) => string,
): string | undefined {
  const index = items.findIndex((item, at) => !isRight(item, at));
  return index === -1 ? undefined : placeOf(items[index] as T, index);
}

/**
 * Runs a check once. Returns `undefined` if `work` throws and the broken promise is exempt.
 *
 * @throws BrokenContract
 */
export async function expectOnce<P extends string, Result>(
  plugin: PluginEntry,
  exemptions: Exemptions | undefined,
  work: (ledger: Ledger<P>) => Promise<Result>,
): Promise<Result | undefined> {
  const ledger = new Ledger<P>(exemptions);
  let result: Result | undefined;
  try {
    result = await work(ledger);
  } catch (error) {
    ledger.caught(error, plugin);
  }
  ledger.close();
  return result;
}

interface Found<Case> {
  readonly value: Case;
  readonly error: BrokenContract;
}

const MAX_TRIES = 300;

/**
 * Shortens the text of an input while the input still breaks the promise. fast-check removes whole pieces of
 * a generated text, but does not shorten pieces. An input without a text stays unchanged.
 *
 * @param attempt tries an input; returns the error if the input breaks the promise, otherwise undefined
 */
async function withSmallestText<Case>(
  found: Found<Case>,
  attempt: (value: Case) => Promise<BrokenContract | undefined>,
): Promise<Found<Case>> {
  if (!hasText(found.value)) return found;
  let best = found;
  let points = Array.from(found.value.text);
  let tries = 0;
  for (let size = points.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < points.length && tries < MAX_TRIES; tries++) {
      const shorter = points.toSpliced(at, size);
      const value = { ...best.value, text: shorter.join('') };
      const error = await attempt(value);
      if (error === undefined) {
        at += size;
        continue;
      }
      best = { value, error };
      points = shorter;
    }
  }
  return best;
}

function hasText(value: unknown): value is { readonly text: string } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}
