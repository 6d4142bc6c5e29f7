import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type ApiDocument, breakingChanges, lastRelease } from '../../support/breaking-changes.ts';
import { DOCUMENT, ROOT } from '../../support/openapi-types.ts';

/** A client of the last release works with the next one. The document that is compared is held to what is served by another test. */

const { name, document: released } = lastRelease();

/**
 * Breaking changes since the last release that are meant, in the words of the failure, each with its reason. They go to
 * CHANGELOG.md too, and from here with the next release.
 */
const ACCEPTED: Readonly<Record<string, string>> = {};

t.test(`nothing is broken since ${name}`, async (t) => {
  const now: ApiDocument = JSON.parse(readFileSync(join(ROOT, DOCUMENT), 'utf8'));
  const meant = Object.keys(ACCEPTED);
  t.same(
    breakingChanges(released, now).filter((change) => !meant.includes(change)),
    [],
    'keep the old way, or list the change in ACCEPTED with its reason',
  );
});

interface Schema {
  properties: Record<string, Record<string, unknown>>;
  required: string[];
}
interface Changeable {
  paths: Record<string, unknown>;
  components: { schemas: Record<string, Schema> };
}

const schemaOf = ({ components }: Changeable, name: string) => components.schemas[name] as Schema;
const without = (schema: Schema, field: string) => {
  delete schema.properties[field];
  schema.required = (schema.required ?? []).filter((one) => one !== field);
};

const CHANGES: [name: string, change: (document: Changeable) => void, words: RegExp | undefined][] = [
  ['a removed path', ({ paths }) => void delete paths['/v1/tokenize'], /^POST \/v1\/tokenize: is gone/],
  [
    'a removed field of an answer',
    (all) => without(schemaOf(all, 'Chunk'), 'token_count'),
    /answer .*(token_count|hash) is gone/,
  ],
  [
    'a removed optional field',
    (all) => void delete schemaOf(all, 'Chunk').properties.hash,
    /answer .*(token_count|hash) is gone/,
  ],
  [
    'a new required field of a request',
    (all) => {
      schemaOf(all, 'EmbedRequest').properties.why = { type: 'string' };
      schemaOf(all, 'EmbedRequest').required.push('why');
    },
    /request \.why is new and required/,
  ],
  [
    'a narrowed list of values',
    (all) => {
      schemaOf(all, 'EmbedRequest').properties.purpose = { type: 'string', enum: ['document'] };
    },
    /request \.purpose has lost a value/,
  ],
  [
    'an option that is gone',
    (all) => without(schemaOf(all, 'TokenChunkerOptions'), 'chunk_size'),
    /chunk_size is gone/,
  ],
  [
    'an option that has to be given now',
    (all) => {
      schemaOf(all, 'TokenChunkerOptions').required = ['chunk_size'];
    },
    /request \.chunk_size is required now/,
  ],
  [
    'an optional field of an answer',
    (all) => {
      schemaOf(all, 'Plugin').required = ['kind'];
    },
    /answer .*name may be missing now/,
  ],
  [
    'another type',
    (all) => {
      schemaOf(all, 'Chunk').properties.token_count = { type: 'string' };
    },
    /token_count was integer and is string/,
  ],
  [
    'new optional fields, and other words',
    (all) => {
      for (const name of ['EmbedRequest', 'Document', 'ChunkFields', 'Chunk'])
        schemaOf(all, name).properties.why = { type: 'string', description: 'Why.' };
      all.paths['/v1/new'] = { get: { responses: { 200: { description: 'New.' } } } };
    },
    undefined,
  ],
];

for (const [what, change, words] of CHANGES) {
  t.test(`${what} is ${words === undefined ? 'not' : 'found'}`, async (t) => {
    const changed = structuredClone(released) as ApiDocument & Changeable;
    change(changed);
    const found = breakingChanges(released, changed);
    if (words === undefined) t.same(found, []);
    else t.match(found[0], words);
  });
}
