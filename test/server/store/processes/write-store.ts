import { createDatabase, createPipelineStore } from '../../../../server/store/stores.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { failure, STEPS } from '../../../support/stores.ts';

/**
 * The program of a process that writes to a store at the same time as others:
 * `write-store.ts <what> <name> <rounds> <dataDir> <databaseUrl>`. Prints its results as JSON.
 */
const [what = '', name = '', rounds, dataDir = '', databaseUrl = ''] = process.argv.slice(2);
const database = createDatabase({ dataDir, databaseUrl }, quietLog);
const store = createPipelineStore(database);
const TASKS: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
  /** Adds one to the number in the description, as clients do that read, change and write with `If-Match`. */
  async count() {
    for (let outcome = 'precondition_failed'; outcome === 'precondition_failed'; ) {
      const { id, description, version } = await shared();
      outcome = await failure(store.update(id, { description: `${Number(description) + 1}` }, [version]));
      if (outcome !== 'nothing' && outcome !== 'precondition_failed') throw new Error(outcome);
    }
  },
  /** Sets a member that no other process sets. */
  async configure(round) {
    const steps = [{ type: 'chunk', chunker: 'token', refinery: null, config: { round } }] as const;
    await store.update((await shared()).id, { steps });
  },
  /** Creates pipelines with names that the others use too. */
  create: (round) => failure(store.create({ name: `common ${round}`, description: name, steps: STEPS })),
};
const results: unknown[] = [];
for (let round = 1; round <= Number(rounds); round++) results.push(await TASKS[what]?.(round));
await database.close();
console.log(JSON.stringify(results));

async function shared() {
  const [first] = (await store.list({ limit: 1 })).pipelines;
  if (first === undefined) throw new Error('there is no pipeline');
  return first;
}
