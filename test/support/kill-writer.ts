import type { Client } from './server.ts';

interface Content {
  readonly description: string;
  readonly steps: readonly object[];
}

/** What a pipeline may be, given the answers that came: one content, or two while one is missing. */
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

/** Writes pipelines of its own to a server that may be killed at any moment, and knows what must be there. */
export interface KillWriter {
  /** Creates, changes and deletes until a request is not answered. */
  writeUntilKilled(client: Client): Promise<void>;
  /** Compares what is stored with what was answered; a write without an answer is made whole or not at all. */
  check(stored: readonly Answered[]): { readonly checked: number; readonly problems: readonly string[] };
}

const MOST_KEPT = 12;

export function createKillWriter(prefix: string): KillWriter {
  const entries = new Map<string, Entry>();
  let written = 0;
  let serial = 0;

  return { writeUntilKilled, check };

  async function writeUntilKilled(client: Client): Promise<void> {
    try {
      for (;;) await writeOnce(client);
    } catch (error) {
      const isBroken = error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message);
      if (!isBroken) throw error;
    }
  }

  async function writeOnce(client: Client): Promise<void> {
    const names = [...entries.keys()];
    const name = names[Math.floor(Math.random() * names.length)];
    const dice = Math.random() * MOST_KEPT;
    if (name === undefined || dice > names.length) return create(client);
    return Math.random() < 0.7 ? update(client, name) : remove(client, name);
  }

  async function create(client: Client): Promise<void> {
    const content = newContent();
    const name = `${prefix} ${serial}`;
    const entry: Entry = { id: undefined, possible: [null, content] };
    entries.set(name, entry);
    const { id } = await send<Answered>(client, 201, 'POST', '', { name, ...content });
    Object.assign(entry, { id, possible: [content] });
    written++;
  }

  async function update(client: Client, name: string): Promise<void> {
    const entry = entries.get(name) as Entry;
    const content = newContent();
    entry.possible = [...entry.possible, content];
    await send(client, 200, 'PUT', `/${entry.id}`, content);
    entry.possible = [content];
    written++;
  }

  async function remove(client: Client, name: string): Promise<void> {
    const entry = entries.get(name) as Entry;
    entry.possible = [...entry.possible, null];
    await send(client, 204, 'DELETE', `/${entry.id}`);
    entries.delete(name);
    written++;
  }

  /** The same number in both members, so that half a write would show. */
  function newContent(): Content {
    const description = `write ${++serial} ${'é'.repeat(serial % 300)}`;
    const config = { chunk_size: serial };
    return { description, steps: [{ type: 'chunk', chunker: 'token', refinery: null, config }] };
  }

  function check(stored: readonly Answered[]) {
    const own = new Map(
      stored.filter(({ name }) => name.startsWith(`${prefix} `)).map((one) => [one.name, one]),
    );
    const problems: string[] = [];
    for (const name of own.keys()) if (!entries.has(name)) problems.push(`${name} is there and must not be`);
    for (const [name, entry] of entries) {
      if (entry.possible.length > 1) written++;
      const found = own.get(name);
      const content =
        found === undefined ? null : { description: found.description, steps: found.config.steps };
      const match = entry.possible.find((one) => JSON.stringify(one) === JSON.stringify(content));
      if (match === undefined)
        problems.push(`${name} is ${JSON.stringify(content)}, not one of ${JSON.stringify(entry.possible)}`);
      if (entry.id !== undefined && found !== undefined && entry.id !== found.id)
        problems.push(`${name} has another id`);
      if (match === undefined || match === null) entries.delete(name);
      else entries.set(name, { id: found?.id, possible: [match] });
    }
    const checked = written;
    written = 0;
    return { checked, problems };
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
