import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { SinkChunk, SinkCollection } from '../../../../core/contracts/sink.ts';
import type { PluginEntry } from '../../../../core/hosting/registry.ts';
import { holdFor } from '../../ledger.ts';
import type { SuiteOptions } from '../../promises.ts';
import type { SinkBench } from './bench.ts';
import { anyChunk, areSame, DIMENSIONS } from './chunks.ts';
import type { SinkLedger } from './promises.ts';

/** What happens to a document: some of its chunks are stored, and perhaps all others removed, or all of them. */
const anyStep = fc.record({
  document: fc.nat(2),
  chunks: fc.uniqueArray(fc.record({ slot: fc.nat(4), chunk: anyChunk }), {
    selector: ({ slot }) => slot,
    maxLength: 4,
  }),
  end: fc.constantFrom('keeps all', 'keeps these', 'keeps none', 'again'),
});

const NAMES = ["it's a 'document' 😀", 'docs/a.md', 'docs/a.md#2'];

/** Compares, after each step, what is stored with what should be. @throws BrokenContract */
export async function checkHistories(
  sinks: SinkBench,
  plugin: PluginEntry,
  options: SuiteOptions & { readonly runs: number },
): Promise<void> {
  const collection = await sinks.open('histories', DIMENSIONS);
  const check = async (steps: readonly Step[], ledger: SinkLedger) => {
    const run = new History(sinks, collection, ledger);
    for (const step of steps) await run.take(step);
  };
  await holdFor(plugin, fc.array(anyStep, { maxLength: 5 }), check, options);
}

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

class History {
  readonly #sinks: SinkBench;
  readonly #collection: SinkCollection;
  readonly #ledger: SinkLedger;
  readonly #prefix = randomUUID();
  readonly #ids = new Map<string, string>();
  readonly #stored = new Map<string, SinkChunk>();

  constructor(sinks: SinkBench, collection: SinkCollection, ledger: SinkLedger) {
    this.#sinks = sinks;
    this.#collection = collection;
    this.#ledger = ledger;
  }

  async take({ document, chunks, end }: Step): Promise<void> {
    const document_id = `${this.#prefix} ${NAMES[document]}`;
    const given = chunks.map(({ slot, chunk }) => ({
      id: this.#idOf(`${document} ${slot}`),
      document_id,
      ...chunk,
    }));
    await this.#upsert(given);
    if (end === 'again') await this.#upsert(given);
    if (end === 'keeps these')
      await this.#deleteMissing(
        document_id,
        given.map(({ id }) => id),
      );
    if (end === 'keeps none') await this.#deleteMissing(document_id, []);
  }

  async #upsert(chunks: readonly SinkChunk[]): Promise<void> {
    const outcome = await this.#sinks.attempt((context) => this.#collection.upsert(chunks, context));
    for (const chunk of chunks) this.#stored.set(chunk.id, chunk);
    const isRight = outcome === undefined && (await this.#isStored());
    this.#ledger.expect(isRight, 'chunks are stored as they are, in the place of those with their ids');
  }

  async #deleteMissing(document: string, kept: readonly string[]): Promise<void> {
    const outcome = await this.#sinks.attempt((context) =>
      this.#collection.deleteMissing(document, kept, context),
    );
    for (const { id, document_id } of [...this.#stored.values()])
      if (document_id === document && !kept.includes(id)) this.#stored.delete(id);
    const isRight = outcome === undefined && (await this.#isStored());
    this.#ledger.expect(isRight, 'of a document those chunks are left that are kept, of others all');
  }

  async #isStored(): Promise<boolean> {
    const all = await this.#sinks.chunks('histories');
    const own = all.filter(({ document_id }) => document_id.startsWith(this.#prefix));
    return areSame(own, [...this.#stored.values()]);
  }

  #idOf(place: string): string {
    const id = this.#ids.get(place) ?? randomUUID();
    this.#ids.set(place, id);
    return id;
  }
}
