import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../../../core/errors.ts';
import type { Claim } from '../../store/jobs/contract.ts';
import { ShardReturned, type ShardWorkOptions, workOnShard } from './work-on-shard.ts';

/** Works on shards of jobs as long as there are any. */
export interface JobWorker {
  /** Polls now; call it after a job was created or reopened. */
  wake(): void;
  /**
   * Takes no more shards. Those not finished after the grace period are given back, so that other workers can take
   * them at once.
   *
   * @param graceSeconds 0 gives them back now
   */
  stop(graceSeconds: number): Promise<void>;
}

export interface WorkerOptions extends ShardWorkOptions {
  /** The worker's name in lists. */
  readonly name: string;
  /** Maximum concurrent shards. */
  readonly concurrency: number;
  /** Called before each poll. */
  onTurn?(): void;
}

/** Milliseconds between polls that find nothing. */
const POLL = 1000;

/** Starts a worker, which polls for shards at once. */
export function startWorker(options: WorkerOptions): JobWorker {
  const stopping = new AbortController();
  const running = new Set<AbortController>();
  let woken = Promise.withResolvers<void>();
  const state: WorkerState = {
    options,
    running,
    working: new Set(),
    taking: Promise.resolve(),
    stopping: stopping.signal,
    idle: () => Promise.race([woken.promise, pause(stopping.signal)]),
  };
  const loops = Array.from({ length: options.concurrency }, () => loop(state));
  const wake = () => {
    woken.resolve();
    woken = Promise.withResolvers();
  };
  return {
    wake,
    async stop(graceSeconds) {
      stopping.abort();
      wake();
      const giveBack = () => {
        for (const one of running) one.abort(new ShardReturned());
      };
      const timer = setTimeout(giveBack, graceSeconds * 1000);
      await Promise.all(loops);
      clearTimeout(timer);
    },
  };
}

interface WorkerState {
  readonly options: WorkerOptions;
  /** Stop the shards in progress. */
  readonly running: Set<AbortController>;
  /** The work on them. */
  readonly working: Set<Promise<void>>;
  /** Until then no other worker may take a shard. */
  taking: Promise<void>;
  readonly stopping: AbortSignal;
  /** Waits until it is time to poll again. */
  idle(): Promise<void>;
}

async function pause(signal: AbortSignal): Promise<void> {
  const jitter = POLL * (0.75 + Math.random() / 2);
  await sleep(jitter, undefined, { signal, ref: false }).catch(() => {});
}

async function loop(state: WorkerState): Promise<void> {
  while (!state.stopping.aborted) {
    const turn = Promise.withResolvers<void>();
    const before = state.taking;
    state.taking = turn.promise;
    await before;
    state.options.onTurn?.();
    if (!(await takeOne(state, turn.resolve))) await state.idle();
  }
}

/**
 * Takes a shard and works on it. A shard that has lost its worker before may have caused that, so it gets this
 * process to itself: other shards would be lost with it.
 *
 * @param next lets others take one
 * @returns whether there was one
 */
async function takeOne(state: WorkerState, next: () => void): Promise<boolean> {
  const { options, stopping, running, working } = state;
  try {
    const claim = stopping.aborted ? undefined : await claimOne(options);
    if (claim === undefined) return false;
    if (stopping.aborted) return await giveBack(claim, options);
    const isSuspect = claim.failures > 0 && claim.kind !== 'notify';
    const work = workOnShard(claim, options, running, isSuspect ? [...working] : []);
    working.add(work);
    if (!isSuspect) next();
    await work;
    working.delete(work);
    return true;
  } finally {
    next();
  }
}

async function claimOne({ store, name, log }: WorkerOptions): Promise<Claim | undefined> {
  try {
    return await store.claim(name);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'jobs: no shard could be taken');
    return undefined;
  }
}

/** Gives back what was taken while the worker was stopped. */
async function giveBack(claim: Claim, { store, log }: WorkerOptions): Promise<boolean> {
  await store.giveBack(claim).catch((error: unknown) => {
    log.warn({ reason: reasonOf(error) }, 'jobs: a shard could not be given back');
  });
  return true;
}
