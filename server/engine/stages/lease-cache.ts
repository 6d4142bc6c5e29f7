import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../abort.ts';

export interface Lease<T> {
  readonly value: T;
  readonly isNew: boolean;
  release(): void;
}

type Open<T> = (signal: AbortSignal) => Promise<T | undefined>;

export interface LeaseCacheOptions<T> {
  /** Maximum number of values that stay open without a lease. */
  readonly max: number;
  readonly maxSize?: number;
  sizeOf?(value: T): number;
  /** Milliseconds after which an unused value is freed. */
  readonly ttl?: number;
  /** Frees a dropped value. Must not throw. */
  free?(value: T): void | Promise<void>;
}

interface Entry<T> {
  readonly opening: Promise<T | undefined>;
  /** Stops the opening once no caller waits for it. */
  readonly stop: AbortController;
  users: number;
}

/**
 * Leases values that are costly to open. Concurrent requests for a key share one opening. Values without a lease
 * stay open within limits; the least recently used are freed first.
 */
export class LeaseCache<T extends object> {
  readonly #free: (value: T) => void | Promise<void>;
  /** Values that are being opened or are leased. They cannot be freed, so they do not count towards the limits. */
  readonly #inUse = new Map<string, Entry<T>>();
  readonly #idle: LRUCache<string, T>;
  readonly #freeing = new Set<Promise<void>>();
  #isClosed = false;

  constructor({
    max,
    maxSize = Number.MAX_SAFE_INTEGER,
    sizeOf = () => 0,
    ttl = 0,
    free = () => {},
  }: LeaseCacheOptions<T>) {
    this.#free = free;
    this.#idle = new LRUCache({
      max,
      maxSize,
      ttl,
      ttlAutopurge: ttl > 0,
      sizeCalculation: (value) => Math.max(1, Math.ceil(sizeOf(value))),
      dispose: (value, _key, reason) => {
        if (reason === 'evict' || reason === 'expire') this.#dispose(value);
      },
    });
  }

  /** Returns the open value of a key without a lease. Only for values that stay usable after they are freed. */
  kept(key: string): T | undefined {
    return this.#idle.get(key);
  }

  /**
   * Opens the value of a key, or reuses the open one.
   *
   * @param open called if the value is not open. Its signal aborts once no caller waits. If it rejects, all
   *   waiting callers get the error, and the next call opens again. `undefined` is returned but not kept.
   * @param signal its abort ends the caller's wait
   * @throws the signal's reason, once it aborts
   */
  async lease(key: string, open: Open<T>, signal?: AbortSignal): Promise<Lease<T> | undefined> {
    signal?.throwIfAborted();
    const isNew = !this.#inUse.has(key) && !this.#idle.has(key);
    const entry = this.#inUse.get(key) ?? this.#enter(key, open);
    entry.users++;
    try {
      const value = await unlessAborted(entry.opening, signal);
      const release = once(() => this.#leave(key, entry) && this.#keep(key, value));
      if (value !== undefined) return { value, isNew, release };
      release();
      return undefined;
    } catch (error) {
      if (this.#leave(key, entry)) this.#stop(key, entry, error);
      throw error;
    }
  }

  /** Frees unleased values now, and each leased value when it is released. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const value of this.#idle.values()) this.#dispose(value);
    this.#idle.clear();
    await Promise.all(this.#freeing);
  }

  #enter(key: string, open: Open<T>): Entry<T> {
    const kept = this.#idle.get(key);
    const stop = new AbortController();
    const opening = kept === undefined ? open(stop.signal) : Promise.resolve(kept);
    if (kept !== undefined) this.#idle.delete(key);
    const entry = { opening, stop, users: 0 };
    this.#inUse.set(key, entry);
    return entry;
  }

  #leave(key: string, entry: Entry<T>): boolean {
    entry.users--;
    if (entry.users > 0) return false;
    if (this.#inUse.get(key) === entry) this.#inUse.delete(key);
    return true;
  }

  /** Stops an opening that no caller waits for. If the opening succeeds anyway, its value is kept. */
  #stop(key: string, { opening, stop }: Entry<T>, reason: unknown): void {
    stop.abort(reason);
    opening.then(
      (value) => this.#keep(key, value),
      () => {},
    );
  }

  #keep(key: string, value: T | undefined): void {
    if (value === undefined) return;
    const isKept = !this.#isClosed && !this.#idle.has(key) && !this.#inUse.has(key);
    if (isKept) this.#idle.set(key, value);
    // The LRU cache rejects a single value that is larger than the limit.
    if (!isKept || !this.#idle.has(key)) this.#dispose(value);
  }

  #dispose(value: T): void {
    const done = Promise.resolve(this.#free(value)).then(() => void this.#freeing.delete(done));
    this.#freeing.add(done);
  }
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
