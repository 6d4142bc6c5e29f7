import { createDatabase } from '../../server/store/create-database.ts';
import { createPipelineStore } from '../../server/store/pipeline-store.ts';
import { quietLog } from '../../server/testing/collaborators.ts';
import { failure, STEPS } from './stores.ts';

/**
 * The program of a process that writes to a store at the same time as others:
 * `write-store.ts <what> <name> <rounds> <dataDir> <databaseUrl>`. Prints its results as JSON.
 */
const [what, name, rounds, dataDir, databaseUrl] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const database = createDatabase({ dataDir, databaseUrl }, quietLog);
const store = createPipelineStore(database);
const TASKS: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
  /** Adds one to the number in the description, as clients do that read, change and write with `If-Match`. */
  count,
  /** Sets a member that no other process sets. */
  describe: (round) => setOwn({ description: `${round}` }),
  configure: (round) =>
    setOwn({ steps: [{ type: 'chunk', chunker: 'token', refinery: null, config: { round } }] }),
  /** Creates pipelines with names that the others use too. */
  create: (round) => failure(store.create({ name: `common ${round}`, description: name, steps: STEPS })),
};
const results: unknown[] = [];
for (let round = 1; round <= Number(rounds); round++) results.push(await TASKS[what]?.(round));
await database.close();
console.log(JSON.stringify(results));

async function count(): Promise<number> {
  for (let refused = 0; ; refused++) {
    const { id, description, version } = await shared();
    const changes = { description: String(Number(description) + 1) };
    const outcome = await failure(store.update(id, changes, [version]));
    if (outcome === 'nothing') return refused;
    if (outcome !== 'precondition_failed') throw new Error(outcome);
  }
}

async function setOwn(changes: Parameters<typeof store.update>[1]): Promise<void> {
  await store.update((await shared()).id, changes);
}

async function shared() {
  const { pipelines } = await store.list({ limit: 1 });
  const [first] = pipelines;
  if (first === undefined) throw new Error('there is no pipeline');
  return first;
}
