import type { Answer, Client } from '../support/server.ts';

interface Content {
  readonly description: string;
  readonly steps: readonly object[];
}

/** What may be stored after the answers so far: one content, or several while an answer is missing; null is nothing. */
interface Entry {
  readonly id: string | undefined;
  readonly possible: readonly (Content | null)[];
}

export interface Stored {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly config: { readonly steps: readonly object[] };
}

/** Sends a request. @returns undefined if it is not known whether it was carried out */
export type Send = (method: string, path: string, body?: object) => Promise<Answer | undefined>;

const MAX_KEPT = 12;

/** Writes its own pipelines to a server that may fail at any moment, and knows what must be stored. */
export class KillWriter {
  readonly #prefix: string;
  readonly #entries = new Map<string, Entry>();
  #serial = 0;
  /** Writes that were answered, or may have been made. */
  written = 0;

  constructor(prefix: string) {
    this.#prefix = `${prefix} `;
  }

  /** Creates, changes and deletes until a request gets no answer. */
  async writeUntilKilled(client: Client): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const send: Send = (method, path, body) => {
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      return client.send(path, { method, ...sent }).catch((error: unknown) => {
        const isBroken = error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message);
        if (!isBroken) throw error;
        return undefined;
      });
    };
    while (await this.write(send));
  }

  /** Says what is stored and may not be, and goes on from there. A write without an answer is whole or not made. */
  check(stored: readonly Stored[]): string[] {
    const own = new Map(
      stored.filter(({ name }) => name.startsWith(this.#prefix)).map((one) => [one.name, one]),
    );
    const names = new Set([...own.keys(), ...this.#entries.keys()]);
    return [...names].flatMap((name) => this.#settle(name, own.get(name)));
  }

  #settle(name: string, found: Stored | undefined): string[] {
    const { id, possible } = this.#entries.get(name) ?? { possible: [null] };
    const content = found && { description: found.description, steps: found.config.steps };
    const shown = JSON.stringify(content ?? null);
    const match = possible.find((one) => JSON.stringify(one) === shown);
    if (match === undefined || match === null) this.#entries.delete(name);
    else this.#entries.set(name, { id: found?.id, possible: [match] });
    const isOther = id !== undefined && found !== undefined && id !== found.id;
    return [
      ...(match === undefined ? [`${name} is ${shown}, not one of ${JSON.stringify(possible)}`] : []),
      ...(isOther ? [`${name} has another id`] : []),
    ];
  }

  /** Changes one of its pipelines, deletes it, or creates one, so that there are a few. @returns whether it was answered */
  async write(send: Send): Promise<boolean> {
    const names = [...this.#entries.keys()];
    const known = names[Math.floor(Math.random() * names.length)];
    const serial = ++this.#serial;
    const isNew = known === undefined || Math.random() * MAX_KEPT > names.length;
    const name = isNew ? this.#prefix + serial : known;
    const { id, possible } = this.#entries.get(name) ?? { id: undefined, possible: [null] };
    const next = isNew || Math.random() < 0.7 ? contentOf(serial) : null;
    this.#entries.set(name, { id, possible: [...possible, next] });
    this.written++;
    const path = `/v1/pipelines${id === undefined ? '' : `/${id}`}`;
    const change = id === undefined ? (['POST', 201] as const) : (['PUT', 200] as const);
    const [method, status] = next === null ? (['DELETE', 204] as const) : change;
    const answer = await send(method, path, next === null ? undefined : { ...(isNew && { name }), ...next });
    if (answer === undefined) return false;
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes}`);
    if (next === null) this.#entries.delete(name);
    else this.#entries.set(name, { id: answer.json<Stored>().id, possible: [next] });
    return true;
  }
}

/** The same number in both members, so that a torn write is seen. */
function contentOf(serial: number): Content {
  const config = { chunk_size: serial };
  return {
    description: `write ${serial} ${'é'.repeat(serial % 300)}`,
    steps: [{ type: 'chunk', chunker: 'token', refinery: null, config }],
  };
}
