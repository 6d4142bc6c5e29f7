import { type MessagePort, threadId } from 'node:worker_threads';
import type { SharedBuffers, SharedMemory } from '../../../core/contracts/collaborators.ts';

/**
 * Buffers that all threads of the process read. The main thread keeps the registry. The first thread that requests a
 * key builds its buffer; the others wait and get the same memory. If a build fails or its thread ends, the next
 * waiting thread builds. A buffer without users is dropped.
 */
export interface SharedBuffersRegistry extends SharedBuffers {
  /** Releases the buffers of ended threads, and reassigns their unfinished builds. */
  releaseDead(alive: ReadonlySet<number>): void;
  serve(port: MessagePort): void;
}

/** Buffers of a thread that shares none: every caller builds its own. */
export const ownBuffers: SharedBuffers = { get: async (_key, build) => build(), release() {} };

/** Messages between threads and the registry. `ask` to `released` are requests, `build` and `buffer` are replies. */
interface Message {
  readonly type: 'ask' | 'built' | 'failed' | 'released' | 'build' | 'buffer';
  readonly key: string;
  readonly thread: number;
  readonly buffer?: SharedMemory | undefined;
}

interface Entry {
  readonly key: string;
  buffer?: SharedMemory | undefined;
  builder?: number | undefined;
  waiting: number[];
  holders: Set<number>;
}

export function openSharedBuffers(): SharedBuffersRegistry {
  // A BroadcastChannel would load Node's HTTP client, which takes each thread 20 ms.
  const ports = new Map<number, MessagePort>();
  const registry = new Registry((reply) => {
    if (reply.thread === threadId) client.receive(reply);
    else ports.get(reply.thread)?.postMessage(reply);
  });
  const client = new Client((message) => registry.receive(message));
  return {
    get: (key, build) => client.get(key, build),
    release: (key) => client.release(key),
    releaseDead(alive) {
      for (const thread of ports.keys()) if (!alive.has(thread)) ports.delete(thread);
      registry.releaseDead(alive);
    },
    serve(port) {
      port.on('message', (message: Message) => {
        if (message.type === undefined) return;
        ports.set(message.thread, port);
        registry.receive(message);
      });
      port.unref();
    },
  };
}

/** The shared buffers of a worker thread. @param port connected to the registry */
export function connectSharedBuffers(port: MessagePort): SharedBuffers {
  const client = new Client((message) => port.postMessage(message));
  port.on('message', (message: Message) => client.receive(message));
  port.unref();
  return client;
}

class Registry {
  readonly #send: (reply: Message) => void;
  readonly #entries = new Map<string, Entry>();

  constructor(send: (reply: Message) => void) {
    this.#send = send;
  }

  receive({ type, key, thread, buffer }: Message): void {
    if (type === 'ask') this.#ask(key, thread);
    else if (type === 'failed') this.#passOn(key, thread);
    else if (type === 'built') this.#put(key, thread, buffer);
    else if (type === 'released') this.#release(key, (holder) => holder !== thread);
  }

  releaseDead(alive: ReadonlySet<number>): void {
    for (const [key, entry] of this.#entries) {
      entry.waiting = entry.waiting.filter((thread) => alive.has(thread));
      if (entry.builder !== undefined && !alive.has(entry.builder)) this.#passOn(key, entry.builder);
      this.#release(key, (thread) => alive.has(thread));
    }
  }

  #ask(key: string, thread: number): void {
    const entry = this.#entries.get(key) ?? { key, waiting: [], holders: new Set() };
    this.#entries.set(key, entry);
    if (entry.buffer !== undefined) this.#grant(entry, thread);
    else if (entry.builder !== undefined) entry.waiting.push(thread);
    else this.#letBuild(entry, thread);
  }

  #letBuild(entry: Entry, thread: number): void {
    entry.builder = thread;
    this.#send({ type: 'build', key: entry.key, thread });
  }

  #put(key: string, thread: number, buffer: SharedMemory | undefined): void {
    const entry = this.#entries.get(key) as Entry;
    entry.buffer = buffer;
    entry.holders.add(thread);
    for (const waiting of entry.waiting.splice(0)) this.#grant(entry, waiting);
  }

  #grant({ key, buffer, holders }: Entry, thread: number): void {
    holders.add(thread);
    this.#send({ type: 'buffer', key, thread, buffer });
  }

  #release(key: string, stillHolds: (thread: number) => boolean): void {
    const entry = this.#entries.get(key);
    if (entry?.buffer === undefined) return;
    entry.holders = new Set([...entry.holders].filter(stillHolds));
    if (entry.holders.size === 0) this.#entries.delete(key);
  }

  #passOn(key: string, thread: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.builder !== thread || entry.buffer !== undefined) return;
    entry.builder = undefined;
    const next = entry.waiting.shift();
    if (next !== undefined) this.#letBuild(entry, next);
  }
}

interface Pending {
  readonly build: () => SharedMemory | Promise<SharedMemory>;
  readonly resolve: (buffer: SharedMemory) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread's side of the protocol: requests buffers, and builds those that the registry assigns to it. */
class Client implements SharedBuffers {
  readonly #tell: (message: Message) => void;
  readonly #asked = new Map<string, Promise<SharedMemory>>();
  readonly #pending = new Map<string, Pending>();

  constructor(tell: (message: Message) => void) {
    this.#tell = tell;
  }

  get<Memory extends SharedMemory>(key: string, build: () => Memory | Promise<Memory>): Promise<Memory> {
    let buffer = this.#asked.get(key);
    if (buffer === undefined) {
      buffer = new Promise((resolve, reject) => this.#pending.set(key, { build, resolve, reject }));
      buffer.catch(() => this.#asked.delete(key));
      this.#asked.set(key, buffer);
      this.#tell({ type: 'ask', key, thread: threadId });
    }
    return buffer as Promise<Memory>;
  }

  release(key: string): void {
    if (this.#asked.delete(key)) this.#tell({ type: 'released', key, thread: threadId });
  }

  receive({ type, key, buffer }: Message): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    if (type === 'build') void this.#build(key, pending);
    else if (type === 'buffer') {
      this.#pending.delete(key);
      pending.resolve(buffer as SharedMemory);
    }
  }

  async #build(key: string, { build, resolve, reject }: Pending): Promise<void> {
    try {
      const buffer = await build();
      this.#tell({ type: 'built', key, thread: threadId, buffer });
      resolve(buffer);
    } catch (error) {
      this.#tell({ type: 'failed', key, thread: threadId });
      reject(error);
    } finally {
      this.#pending.delete(key);
    }
  }
}
