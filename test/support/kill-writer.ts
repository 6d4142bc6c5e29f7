import type { Client } from './server.ts';

interface Content {
  readonly description: string;
  readonly steps: readonly object[];
}

/** What may be stored after the answers so far: one content, or two while an answer is missing. */
interface Entry {
  id: string | undefined;
  possible: readonly (Content | null)[];
}

interface Answered {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly config: { readonly steps: readonly object[] };
}

/** Writes its own pipelines to a server that may be killed at any moment, and knows what must be stored. */
export interface KillWriter {
  /** Creates, changes and deletes until a request gets no answer. */
  writeUntilKilled(client: Client): Promise<void>;
  /** Compares the stored pipelines with the answers. A write without an answer is made whole or not at all. */
  check(stored: readonly Answered[]): { readonly checked: number; readonly problems: readonly string[] };
}

const MOST_KEPT = 12;

export function createKillWriter(prefix: string): KillWriter {
  return new PipelineWriter(prefix);
}

class PipelineWriter implements KillWriter {
  readonly #prefix: string;
  readonly #entries = new Map<string, Entry>();
  /** Writes since the last check. */
  #written = 0;
  #serial = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async writeUntilKilled(client: Client): Promise<void> {
    try {
      for (;;) await this.#writeOnce(client);
    } catch (error) {
      const isBroken = error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message);
      if (!isBroken) throw error;
    }
  }

  check(stored: readonly Answered[]) {
    const own = new Map(
      stored.filter(({ name }) => name.startsWith(`${this.#prefix} `)).map((one) => [one.name, one]),
    );
    const problems: string[] = [];
    for (const name of own.keys())
      if (!this.#entries.has(name)) problems.push(`${name} is there and must not be`);
    for (const [name, entry] of this.#entries) {
      if (entry.possible.length > 1) this.#written++;
      problems.push(...this.#settle(name, entry, own.get(name)));
    }
    const checked = this.#written;
    this.#written = 0;
    return { checked, problems };
  }

  /** Compares what is stored with what may be, and goes on from what was found. */
  #settle(name: string, entry: Entry, found: Answered | undefined): string[] {
    const problems: string[] = [];
    const content =
      found === undefined ? null : { description: found.description, steps: found.config.steps };
    const match = entry.possible.find((one) => JSON.stringify(one) === JSON.stringify(content));
    if (match === undefined)
      problems.push(`${name} is ${JSON.stringify(content)}, not one of ${JSON.stringify(entry.possible)}`);
    if (entry.id !== undefined && found !== undefined && entry.id !== found.id)
      problems.push(`${name} has another id`);
    if (match === undefined || match === null) this.#entries.delete(name);
    else this.#entries.set(name, { id: found?.id, possible: [match] });
    return problems;
  }

  async #writeOnce(client: Client): Promise<void> {
    const names = [...this.#entries.keys()];
    const name = names[Math.floor(Math.random() * names.length)];
    const dice = Math.random() * MOST_KEPT;
    if (name === undefined || dice > names.length) return this.#create(client);
    return Math.random() < 0.7 ? this.#update(client, name) : this.#remove(client, name);
  }

  async #create(client: Client): Promise<void> {
    const content = this.#newContent();
    const name = `${this.#prefix} ${this.#serial}`;
    const entry: Entry = { id: undefined, possible: [null, content] };
    this.#entries.set(name, entry);
    const { id } = await send<Answered>(client, 201, 'POST', '', { name, ...content });
    Object.assign(entry, { id, possible: [content] });
    this.#written++;
  }

  async #update(client: Client, name: string): Promise<void> {
    const entry = this.#entries.get(name) as Entry;
    const content = this.#newContent();
    entry.possible = [...entry.possible, content];
    await send(client, 200, 'PUT', `/${entry.id}`, content);
    entry.possible = [content];
    this.#written++;
  }

  async #remove(client: Client, name: string): Promise<void> {
    const entry = this.#entries.get(name) as Entry;
    entry.possible = [...entry.possible, null];
    await send(client, 204, 'DELETE', `/${entry.id}`);
    this.#entries.delete(name);
    this.#written++;
  }

  /** The same number in both members, so that a torn write is seen. */
  #newContent(): Content {
    const serial = ++this.#serial;
    const description = `write ${serial} ${'é'.repeat(serial % 300)}`;
    const config = { chunk_size: serial };
    return { description, steps: [{ type: 'chunk', chunker: 'token', refinery: null, config }] };
  }
}

async function send<T>(
  client: Client,
  status: number,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const answer = await client.send(`/v1/pipelines${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes}`);
  return (status === 204 ? undefined : answer.json()) as T;
}
