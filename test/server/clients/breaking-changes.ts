import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from 'semver';
import { type Field, type Fields, fieldsOf, type Schema, type Schemas } from './schema-fields.ts';

/**
 * What breaks clients between two OpenAPI documents: an operation, parameter, field, media type or value that is gone, a field
 * that is newly required, and another type. Bounds such as `minLength`, defaults and headers are not looked at.
 */

const RELEASES = join(import.meta.dirname, '../../fixtures/releases');

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
type Direction = 'request' | 'answer';

/** The document of the last release: a release adds its own. */
export function lastRelease(): { readonly name: string; readonly document: ApiDocument } {
  const versionOf = (file: string) => file.replace(/^openapi-|\.json$/g, '');
  const [name = ''] = readdirSync(RELEASES).sort((a, b) => compare(versionOf(b), versionOf(a)));
  return { name, document: JSON.parse(readFileSync(join(RELEASES, name), 'utf8')) };
}

/** The breaking changes, in words that begin with the operation. */
export function breakingChanges(before: ApiDocument, after: ApiDocument): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const now = after.paths[path]?.[method];
      const fields = (schemaOf: typeof requestOf, one: Operation, all: ApiDocument) =>
        fieldsOf(schemaOf(one, all), all.components.schemas);
      const found =
        now === undefined
          ? ['is gone']
          : [
              ...compared(fields(requestOf, operation, before), fields(requestOf, now, after), 'request'),
              ...compared(fields(answerOf, operation, before), fields(answerOf, now, after), 'answer'),
            ];
      return found.map((change) => `${method.toUpperCase()} ${path}: ${change}`);
    }),
  );
}

/** The parameters and the bodies that an operation takes, as fields of one value. */
function requestOf({ parameters = [], requestBody }: Operation, { components }: ApiDocument): Schema {
  const own = parameters.flatMap((one) =>
    '$ref' in one ? (components.parameters?.[one.$ref.split('/').at(-1) ?? ''] ?? []) : one,
  );
  const named = own.map((one) => ({ ...one, name: `${one.in} ${one.name}` }));
  const properties = Object.fromEntries(named.map(({ name, schema = {} }) => [name, schema]));
  const required = named.filter((one) => one.required).map(({ name }) => name);
  return { properties: { ...properties, ...bodiesOf(requestBody?.content) }, required };
}

/** The bodies with which an operation answers that succeeds, as fields of one value. */
function answerOf({ responses = {} }: Operation): Schema {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const bodies = answers.map(([status, { content }]) => bodiesOf(content, `${status} `));
  return { properties: Object.assign({}, ...bodies) };
}

const bodiesOf = (content: Content = {}, before = ''): Schemas =>
  Object.fromEntries(Object.entries(content).map(([type, { schema = {} }]) => [before + type, schema]));

function compared(old: Fields, now: Fields, direction: Direction): string[] {
  const found: string[] = [];
  for (const [place, field] of old) {
    const other = now.get(place);
    const changes = other === undefined ? ['is gone'] : fieldChanges(field, other, direction);
    found.push(...changes.map((change) => `${direction} ${place} ${change}`));
  }
  for (const [place, { isRequired }] of now) {
    if (direction === 'request' && isRequired && !old.has(place) && isReached(place, old))
      found.push(`${direction} ${place} is new and required`);
  }
  return found;
}

/** A field that is required within a new one is no duty of those who do not send that. */
function isReached(place: string, old: Fields): boolean {
  return old.has(place.replace(/(\.[^.[(]+|\[\]|\(line\))$/, ''));
}

function fieldChanges(old: Field, now: Field, direction: Direction): string[] {
  const [from, to] = direction === 'request' ? [old, now] : [now, old];
  return [
    ...(allows(to.types, from.types) ? [] : [`was ${list(old.types)} and is ${list(now.types)}`]),
    ...(direction === 'answer' || allows(now.values, old.values) ? [] : ['has lost a value']),
    ...(direction === 'request' && now.isRequired && !old.isRequired ? ['is required now'] : []),
    ...(direction === 'answer' && old.isRequired && !now.isRequired ? ['may be missing now'] : []),
  ];
}

/** Whether all of a set is in another one; an empty one is anything. */
function allows(wide: ReadonlySet<string>, narrow: ReadonlySet<string>): boolean {
  return wide.size === 0 || (narrow.size > 0 && narrow.isSubsetOf(wide));
}

const list = (types: ReadonlySet<string>) => [...types].join(' or ') || 'anything';
