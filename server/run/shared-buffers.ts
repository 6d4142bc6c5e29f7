import { BroadcastChannel, threadId } from 'node:worker_threads';
import type { SharedBuffers, SharedMemory } from '../../core/contracts.ts';

/**
 * Buffers that every thread of the process reads. The main thread keeps the desk: the first thread that
 * asks for a key is told to build it, the others get the same memory once it is there. Where a build
 * fails or its thread ends, the next one that waits builds. A buffer that no thread holds any more is dropped.
 */
export interface SharedBuffersDesk extends SharedBuffers {
  /** Gives to others what threads that are no longer alive were building. */
  keepOnly(alive: ReadonlySet<number>): void;
  close(): void;
}

interface Ask {
  readonly type: 'ask' | 'failed' | 'released';
  readonly key: string;
  readonly thread: number;
}

interface Answer {
  readonly type: 'build' | 'buffer';
  readonly key: string;
  readonly thread: number;
  readonly buffer?: SharedMemory;
}

interface Built {
  readonly type: 'built';
  readonly key: string;
  readonly thread: number;
  readonly buffer: SharedMemory;
}

type Message = Ask | Answer | Built;

interface Shelf {
  buffer?: SharedMemory;
  builder?: number | undefined;
  waiting: number[];
  /** The threads that have the buffer. */
  holders: Set<number>;
}

/** The desk of the main thread, on a channel that no other process part uses. */
export function openSharedBuffersDesk(channelName: string): SharedBuffersDesk {
  const channel = new BroadcastChannel(channelName);
  const shelves = new Map<string, Shelf>();
  const client = createClient(answerHere);

  channel.onmessage = (event) => answerHere(event.data as Message);
  channel.unref();

  /** Takes what a thread says; what the main thread's own client says comes here directly. */
  function answerHere(message: Message): void {
    if (message.type === 'ask') ask(message.key, message.thread);
    else if (message.type === 'failed') passOn(message.key, message.thread);
    else if (message.type === 'built') put(message);
    else if (message.type === 'released') takeBack(message.key, (thread) => thread !== message.thread);
  }

  function ask(key: string, thread: number): void {
    const shelf = shelves.get(key) ?? { waiting: [], holders: new Set() };
    shelves.set(key, shelf);
    if (shelf.buffer !== undefined) lend(key, shelf.buffer, shelf, thread);
    else if (shelf.builder !== undefined) shelf.waiting.push(thread);
    else letBuild(key, shelf, thread);
  }

  function letBuild(key: string, shelf: Shelf, thread: number): void {
    shelf.builder = thread;
    send({ type: 'build', key, thread });
  }

  function put({ key, thread, buffer }: Built): void {
    const shelf = shelves.get(key) as Shelf;
    shelf.buffer = buffer;
    shelf.holders.add(thread);
    for (const waiting of shelf.waiting.splice(0)) lend(key, buffer, shelf, waiting);
  }

  function lend(key: string, buffer: SharedMemory, shelf: Shelf, thread: number): void {
    shelf.holders.add(thread);
    send({ type: 'buffer', key, thread, buffer });
  }

  function takeBack(key: string, stillHolds: (thread: number) => boolean): void {
    const shelf = shelves.get(key);
    if (shelf?.buffer === undefined) return;
    shelf.holders = new Set([...shelf.holders].filter(stillHolds));
    if (shelf.holders.size === 0) shelves.delete(key);
  }

  function passOn(key: string, thread: number): void {
    const shelf = shelves.get(key);
    if (shelf === undefined || shelf.builder !== thread || shelf.buffer !== undefined) return;
    shelf.builder = undefined;
    const next = shelf.waiting.shift();
    if (next !== undefined) letBuild(key, shelf, next);
  }

  function send(answer: Answer): void {
    if (answer.thread === threadId) client.receive(answer);
    else channel.postMessage(answer);
  }

  return {
    get: client.get,
    release: client.release,
    keepOnly(alive) {
      for (const [key, shelf] of shelves) {
        shelf.waiting = shelf.waiting.filter((thread) => alive.has(thread));
        if (shelf.builder !== undefined && !alive.has(shelf.builder)) passOn(key, shelf.builder);
        takeBack(key, (thread) => alive.has(thread));
      }
    },
    close: () => channel.close(),
  };
}

/** The shared buffers as a worker thread sees them. */
export function connectSharedBuffers(channelName: string): SharedBuffers {
  const channel = new BroadcastChannel(channelName);
  const client = createClient((message) => channel.postMessage(message));
  channel.onmessage = (event) => client.receive(event.data as Message);
  channel.unref();
  return { get: client.get, release: client.release };
}

type Build = () => SharedMemory | Promise<SharedMemory>;

interface Pending {
  readonly build: Build;
  readonly resolve: (buffer: SharedMemory) => void;
  readonly reject: (error: unknown) => void;
}

/** One thread's side: asks the desk, and builds when it is told to. */
function createClient(tell: (message: Ask | Built) => void) {
  const asked = new Map<string, Promise<SharedMemory>>();
  const pending = new Map<string, Pending>();

  function get<Memory extends SharedMemory>(key: string, build: () => Memory | Promise<Memory>) {
    let buffer = asked.get(key);
    if (buffer === undefined) {
      buffer = new Promise((resolve, reject) => pending.set(key, { build, resolve, reject }));
      buffer.catch(() => asked.delete(key));
      asked.set(key, buffer);
      tell({ type: 'ask', key, thread: threadId });
    }
    return buffer as Promise<Memory>;
  }

  function release(key: string): void {
    if (asked.delete(key)) tell({ type: 'released', key, thread: threadId });
  }

  function receive(message: Message): void {
    if (message.thread !== threadId) return;
    const waiter = pending.get(message.key);
    if (waiter === undefined) return;
    if (message.type === 'buffer') settle(message.key, () => waiter.resolve(message.buffer as SharedMemory));
    else if (message.type === 'build') void buildHere(message.key, waiter);
  }

  async function buildHere(key: string, waiter: Pending): Promise<void> {
    try {
      const buffer = await waiter.build();
      tell({ type: 'built', key, thread: threadId, buffer });
      settle(key, () => waiter.resolve(buffer));
    } catch (error) {
      tell({ type: 'failed', key, thread: threadId });
      settle(key, () => waiter.reject(error));
    }
  }

  function settle(key: string, finish: () => void): void {
    pending.delete(key);
    finish();
  }

  return { get, release, receive };
}
