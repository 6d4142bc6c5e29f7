import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from 'semver';
import { type Field, type Fields, fieldsOf, type Schema, type Schemas } from './schema-fields.ts';

/**
 * What breaks clients between two OpenAPI documents: an operation, parameter, field, media type or value that is gone, a field
 * that is newly required, and another type. Bounds such as `minLength`, defaults and headers are not looked at.
 */

const RELEASES = join(import.meta.dirname, '../fixtures/releases');

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
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
      const found = now === undefined ? ['is gone'] : operationChanges(operation, now, before, after);
      return found.map((change) => `${method.toUpperCase()} ${path}: ${change}`);
    }),
  );
}

function operationChanges(old: Operation, now: Operation, before: ApiDocument, after: ApiDocument): string[] {
  const answers = Object.entries(old.responses ?? {}).filter(([status]) => status.startsWith('2'));
  return [
    ...compared(parametersOf(old, before), parametersOf(now, after), 'request'),
    ...contentChanges(old.requestBody?.content, now.requestBody?.content, 'request', before, after),
    ...answers.flatMap(([status, { content }]) =>
      contentChanges(content, now.responses?.[status]?.content, 'answer', before, after),
    ),
  ];
}

function contentChanges(
  old: Content = {},
  now: Content = {},
  direction: Direction,
  before: ApiDocument,
  after: ApiDocument,
): string[] {
  return Object.entries(old).flatMap(([type, { schema = {} }]) => {
    const other = now[type];
    if (other === undefined) return [`${direction} ${type} is gone`];
    const fields = fieldsOf(schema, before.components.schemas);
    return compared(fields, fieldsOf(other.schema ?? {}, after.components.schemas), direction);
  });
}

/** Parameters as fields of one value. */
function parametersOf({ parameters = [] }: Operation, { components }: ApiDocument): Fields {
  const properties = Object.fromEntries(parameters.map((one) => [`${one.in} ${one.name}`, one.schema ?? {}]));
  const required = parameters.filter((one) => one.required).map((one) => `${one.in} ${one.name}`);
  return fieldsOf({ properties, required }, components.schemas);
}

function compared(old: Fields, now: Fields, direction: Direction): string[] {
  const found: string[] = [];
  for (const [place, field] of old) {
    const other = now.get(place);
    const changes = other === undefined ? ['is gone'] : fieldChanges(field, other, direction);
    found.push(...changes.map((change) => `${direction} ${place} ${change}`));
  }
  for (const [place, { isRequired }] of now) {
    if (direction === 'request' && isRequired && !old.has(place) && isReached(place, old)) {
      found.push(`${direction} ${place} is new and required`);
    }
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
  return wide.size === 0 || (narrow.size > 0 && [...narrow].every((one) => wide.has(one)));
}

const list = (types: ReadonlySet<string>) => [...types].join(' or ') || 'anything';
