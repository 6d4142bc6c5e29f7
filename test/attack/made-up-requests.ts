import fc from 'fast-check';
import { anyText } from '../../server/testing/cases/texts.ts';

export type Json = Readonly<Record<string, unknown>>;

interface MediaTypes {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

/** What the server says of one of its operations. */
export interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Json }[];
  readonly requestBody?: MediaTypes;
  readonly responses: Readonly<Record<string, MediaTypes>>;
}

/** A request that was made up. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string | Uint8Array | undefined;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'];
const TYPES = ['', 'text/plain', 'application/json; charset=latin1', 'multipart/form-data'];

/** Requests to one operation: mostly as it describes them, now and then broken. */
export function anyRequest(path: string, method: string, operation: Operation): fc.Arbitrary<FuzzRequest> {
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  return fc.record({
    method: often(fc.constant(method), fc.constantFrom(...METHODS)),
    path: anyPath(path, operation),
    type: often(fc.constant('application/json'), fc.constantFrom(...TYPES)),
    body: schema === undefined ? fc.constant(undefined) : anyBody(schema),
  });
}

/** Mostly the first, sometimes the second. */
function often<T>(first: fc.Arbitrary<T>, second: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: first, weight: 12 }, { arbitrary: second, weight: 1 });
}

const NO_ID = '00000000-0000-4000-8000-000000000000';
const ODD = ['..', '%2e%2e', '__proto__', NO_ID, 'a'.repeat(300), '😀', '%00', 'x?y=1'];

function anyPath(path: string, { parameters = [] }: Operation): fc.Arbitrary<string> {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const anyValue = fc.oneof(fc.string(), fc.integer().map(String));
  const anyPair = fc.tuple(fc.constantFrom('x', ...query), anyValue);
  return fc.tuple(fc.constantFrom(...ODD), fc.array(anyPair, { maxLength: 2 })).map(([odd, pairs]) => {
    const filled = path.replace(/\{\w+\}/g, () => encodeURI(odd));
    const search = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    return search === '' || filled.includes('?') ? filled : `${filled}?${search}`;
  });
}

const BROKEN: readonly (string | Uint8Array)[] = [
  ...['', '{', '[]', 'null', '"text"', '{"text":"a",}'],
  '{"text":"\\ud83d"}',
  '{"text":"a","text":["b"]}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '{"__proto__":{"text":"a"}}',
  '{"text":"a","__proto__":{"chunk_size":0}}',
  '{"text":"a","constructor":1}',
  '{"text":1e999}',
  Uint8Array.of(0xff, 0xfe, 0x00),
  Buffer.from('{"text":"\xff"}', 'latin1'),
];

function anyBody(schema: Json): fc.Arbitrary<string | Uint8Array> {
  const written = anyOf(schema, 0).map((value) => JSON.stringify(value) ?? '');
  return often<string | Uint8Array>(written, fc.constantFrom(...BROKEN));
}

const wrong = fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e30, '', '512', [], {}, [null], { a: [] });

const FINITE = { noNaN: true, noDefaultInfinity: true };
const WORDS = ['default', 'python', 'character', 'cl100k_base', '../x', '__proto__', 'token'];

/** Values of a schema, now and then wrong ones. */
function anyOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
  return often<unknown>(valid(schema, depth), wrong);
}

function valid(schema: Json, depth: number): fc.Arbitrary<unknown> {
  const branches = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;
  if (branches !== undefined) return fc.oneof(...branches.map((branch) => anyOf(branch, depth)));
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as readonly unknown[]));
  if (schema.const !== undefined) return fc.constant(schema.const);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const { minimum = 0, maximum } = schema as { minimum?: number; maximum?: number };
  switch (type) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum ?? 1000, 1000) }),
        fc.constantFrom(minimum, minimum - 1, 2 ** 53),
      );
    case 'number':
      return fc.oneof(fc.double(FINITE), fc.double({ ...FINITE, min: 0, max: 1 }));
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(anyOf((schema.items ?? {}) as Json, depth + 1), { maxLength: 4 });
    case 'object':
      return anyObject(schema, depth);
    default:
      return fc.oneof(anyText, fc.constantFrom(...WORDS));
  }
}

function anyObject(schema: Json, depth: number): fc.Arbitrary<unknown> {
  if (depth > 5) return fc.constant({});
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Json>>);
  const members = Object.fromEntries(properties.map(([name, one]) => [name, anyOf(one, depth + 1)]));
  const required = (schema.required ?? []) as readonly string[];
  const known = fc.record(members, { requiredKeys: required.filter((name) => name in members) });
  return often<unknown>(
    known,
    known.map((value) => ({ ...value, unknown_member: 1, constructor: 2 })),
  );
}
