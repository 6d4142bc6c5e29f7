import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type ApiDocument, breakingChanges, lastRelease } from './breaking-changes.ts';
import { at } from './cases.ts';
import { DOCUMENT, ROOT } from './openapi-types.ts';

/** A client of the last release works with the next one. The document that is compared is held to what is served by another test. */

const { name, document: released } = lastRelease();

/**
 * Breaking changes since the last release that are meant, in the words of the failure, each with its reason. They go to
 * CHANGELOG.md too, and from here with the next release.
 */
const ACCEPTED: readonly (readonly [changes: RegExp, reason: string])[] = [];

t.test(`nothing is broken since ${name}`, async (t) => {
  const now: ApiDocument = JSON.parse(readFileSync(join(ROOT, DOCUMENT), 'utf8'));
  const found = breakingChanges(released, now).filter(
    (change) => !ACCEPTED.some(([changes]) => changes.test(change)),
  );
  t.same(found, [], 'keep the old way, or list the change in ACCEPTED with its reason');
});

const STRING = { type: 'string' };

/** Members of schemas or of `paths`, by where they stand, that are changed, or are gone if they are undefined. */
const CHANGES: [name: string, changed: Record<string, unknown>, words: RegExp | undefined][] = [
  ['a removed path', { 'paths./v1/tokenize': undefined }, /^POST \/v1\/tokenize: is gone/],
  [
    'a removed field of an answer',
    { 'Chunk.properties.token_count': undefined },
    /answer .*token_count is gone/,
  ],
  ['a removed optional field', { 'Chunk.properties.hash': undefined }, /answer .*hash is gone/],
  [
    'a new required field of a request',
    { 'EmbedRequest.properties.why': STRING, 'EmbedRequest.required': ['text', 'why'] },
    /request .*\.why is new and required/,
  ],
  [
    'a narrowed list of values',
    { 'EmbedRequest.properties.purpose': { ...STRING, enum: ['document'] } },
    /request .*\.purpose has lost a value/,
  ],
  [
    'an option that is gone',
    { 'TokenChunkerOptions.properties.chunk_size': undefined },
    /chunk_size is gone/,
  ],
  [
    'an option that has to be given now',
    { 'TokenChunkerOptions.required': ['chunk_size'] },
    /request .*\.chunk_size is required now/,
  ],
  ['an optional field of an answer', { 'Plugin.required': ['kind'] }, /answer .*name may be missing now/],
  ['another type', { 'Chunk.properties.token_count': STRING }, /token_count was integer and is string/],
  [
    'new optional fields, and other words',
    {
      ...{ 'EmbedRequest.properties.why': STRING, 'Document.properties.why': STRING },
      ...{ 'ChunkFields.properties.why': STRING, 'Chunk.properties.why': STRING },
      'EmbedRequest.description': 'Why.',
      'paths./v1/new': { get: { responses: { 200: { description: 'New.' } } } },
    },
    undefined,
  ],
];

for (const [what, change, words] of CHANGES) {
  t.test(`${what} is ${words === undefined ? 'not' : 'found'}`, async (t) => {
    const changed = structuredClone(released);
    for (const [path, value] of Object.entries(change)) {
      const [, holder = '', name = ''] = /^(.*)\.(.*)$/.exec(path) ?? [];
      const from = path.startsWith('paths.') ? changed : changed.components.schemas;
      Object.assign(at(from, holder) as object, { [name]: value });
    }
    const found = breakingChanges(released, changed);
    if (words === undefined) t.same(found, []);
    else t.match(found[0], words);
  });
}
