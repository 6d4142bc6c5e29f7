import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { SinkChunk, SinkCollection } from '../../core/contracts/sink.ts';
import { Ledger, type SuiteOptions } from './promises.ts';
import type { SinkBench } from './sink-bench.ts';
import { anyChunk, areSame, DIMENSIONS } from './sink-chunks.ts';

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

/** Compares, after each step, what is stored with what should be. */
export async function checkHistories(
  sinks: SinkBench,
  { runs, exemptions }: SuiteOptions & { runs: number },
): Promise<void> {
  const collection = await sinks.open('histories', DIMENSIONS);
  const holds = fc.asyncProperty(fc.array(anyStep, { maxLength: 5 }), async (steps) => {
    const ledger = new Ledger(exemptions);
    const run = new History(sinks, collection, ledger);
    for (const step of steps) await run.take(step);
    ledger.close();
  });
  await fc.assert(holds, { numRuns: runs });
}

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

class History {
  readonly #sinks: SinkBench;
  readonly #collection: SinkCollection;
  readonly #ledger: Ledger;
  readonly #prefix = randomUUID();
  readonly #ids = new Map<string, string>();
  readonly #stored = new Map<string, SinkChunk>();

  constructor(sinks: SinkBench, collection: SinkCollection, ledger: Ledger) {
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
