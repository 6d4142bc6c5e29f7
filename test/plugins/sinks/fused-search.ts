import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Test } from 'tap';
import type { SinkCollection } from '../../../core/contracts/sink.ts';
import { chunkOf } from '../../../server/testing/contracts/sink/chunks.ts';
import { blocksOf, page } from '../../pages/programs.ts';
import { never } from '../../support/hosted-host.ts';
import { temporaryFolder } from '../../support/server.ts';

/** Searches with words and vectors, as the READMEs of sinks show them. */
export type Search = (question: string, vector: readonly number[]) => Promise<readonly string[]>;

/** The program of a sink's README, with another collection. @returns the ids that it finds, which a hit has as `id` or `_id` */
export async function searchOf(t: Test, sink: string, collection = 'chunks'): Promise<Search> {
  const [program = ''] = blocksOf(page(`plugins/sinks/${sink}/README.md`), 'js');
  const file = join(await temporaryFolder(t), 'search.mjs');
  await writeFile(file, program.replace('/chunks/', `/${collection}/`));
  const { search } = (await import(pathToFileURL(file).href)) as {
    search(...given: Parameters<Search>): Promise<readonly { readonly id?: string; readonly _id?: string }[]>;
  };
  return async (question, vector) => (await search(question, vector)).map(({ id, _id = '' }) => id ?? _id);
}

/** Tests that words find what vectors miss, and nothing that was replaced or deleted. */
export async function checkFusedSearch(t: Test, collection: SinkCollection, search: Search): Promise<void> {
  const ask = (question: string) => search(question, [1, 0, 0]);
  const near = Array.from({ length: 9 }, (_, n) =>
    chunkOf('near', { text: `Tea number ${n}`, embedding: Float32Array.of(1, n / 10, 0) }),
  );
  const far = chunkOf('far', {
    text: 'It fails with ERR_MODULE_NOT_FOUND.',
    embedding: Float32Array.of(-1, 0, 0),
  });
  await collection.upsert([...near, far], { signal: never });
  const nearest = near.slice(0, 5).map(({ id }) => id);
  const question = 'Why do I see err_module_not_found & what (or who) | causes it?';
  t.same((await ask(question)).slice(0, 2).sort(), [nearest[0], far.id].sort());
  t.notOk((await ask('kettles')).includes(far.id), 'vectors alone miss it');

  const fields = { ...far.fields, context: 'Airships' };
  await collection.upsert([{ ...far, text: 'A zeppelin', fields }], { signal: never });
  t.same(await ask(question), nearest, 'words of an earlier version find nothing');
  t.ok((await ask('zeppelin')).includes(far.id));
  t.ok((await ask('airships')).includes(far.id), 'words of the context find it');
  await collection.deleteMissing('far', [], { signal: never });
  t.same(await ask('zeppelin airships'), nearest, 'and neither do deleted chunks');
}

/** What is wrong with a body by a description of an API; undefined if nothing is. @param name of a definition in it */
export function problemsBy(description: { readonly $defs: object }, name: string, body: unknown) {
  const validate = new Ajv2020({ strict: false }).compile({ ...description, $ref: `#/$defs/${name}` });
  return validate(body) ? undefined : validate.errors;
}
