import fc from 'fast-check';
import t from 'tap';
import { type Manifest, manifestSchema, type ObjectSchema } from '../../../../core/contracts/manifest.ts';
import { quickCheck } from '../../../../server/engine/validation/quick-check.ts';
import { compileFirst } from '../../../../server/engine/validation/validator.ts';
import { openService } from '../../../support/service.ts';

/** The quick check and ajv agree on each schema of this checkout: what they accept, and the defaults they fill in. */

const inline = await openService(t);
const { registry, requestSchemas } = inline;
const schemasOf = ({ kind, options, ...manifest }: Manifest): unknown[] => [
  ...(options === undefined ? [] : [options]),
  ...(kind === 'chunker' ? [requestSchemas.chunk({ kind, options, ...manifest } as Manifest, 'text')] : []),
  ...(kind === 'refinery' ? [requestSchemas.refine({ kind, options, ...manifest } as Manifest, 'one')] : []),
];
const { embed, tokenize } = requestSchemas;
const REAL = [
  manifestSchema,
  embed,
  tokenize,
  requestSchemas.execute('documents', 'docs'),
  ...registry.all.flatMap(({ manifest }) => schemasOf(manifest)),
] as unknown as ObjectSchema[];

const MADE_UP = [
  object({ size: { type: 'integer', default: 8 }, overlap: { type: 'number', lessThan: 'size' } }),
  object({ a: { type: 'string', default: '', excludes: ['b'] }, b: { type: 'boolean', default: false } }),
  object({ a: { anyOf: [{ type: 'string', minLength: 2, maxLength: 3 }, { type: 'null' }] } }, ['a']),
  object({ a: { type: ['string', 'integer', 'array'], minimum: 3, pattern: '^.$', maxItems: 1 } }),
  object({ a: object({ b: { enum: ['x', 1, null], default: 1 }, c: { const: 'c' } }, ['b']) }),
  object({ a: { type: 'array', items: object({ b: { default: [1] } }), minItems: 1, uniqueItems: false } }),
  object({ a: { type: 'array', items: { type: 'integer', exclusiveMaximum: 5 }, uniqueItems: true } }),
  object({ a: { exclusiveMinimum: 0, maximum: 1, type: 'number' }, b: {} }, ['b']),
  { type: 'object', propertyNames: { pattern: '^[a-c]$' }, additionalProperties: { type: 'integer' } },
] as unknown as ObjectSchema[];

function object(properties: object, required: readonly string[] = []): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
}

const SCALARS = [null, true, false, -1, 0, 0.5, 1, 2, 4, 5, 8, 512, '', 'a', 'ab', '😀', '😀😀😀', 'abcd'];
const anything = fc.oneof(
  fc.constantFrom<unknown>(...SCALARS, [], {}, [1], [1, 1], ['a', 'b'], { a: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values near a schema: with its members, and mostly of the right shape. */
function near({
  properties,
  items,
  anyOf = [],
  enum: values = [],
  ...schema
}: Schema): fc.Arbitrary<unknown> {
  const known = [schema.const, schema.default, ...values].filter((value) => value !== undefined);
  const shapes: fc.Arbitrary<unknown>[] = [
    ...(known.length > 0 ? [fc.constantFrom(...known)] : []),
    ...anyOf.map(near),
  ];
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => [name, near(member)] as const);
    const other = fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ other: 1 }) },
    );
    const own = fc.record(Object.fromEntries(members), { requiredKeys: [] });
    shapes.push(fc.tuple(own, other).map((parts) => Object.assign({}, ...parts)));
  }
  if (items !== undefined) shapes.push(fc.array(near(items), { maxLength: 3 }));
  if (shapes.length === 0) return anything;
  return fc.oneof({ weight: 5, arbitrary: fc.oneof(...shapes) }, { weight: 1, arbitrary: anything });
}

t.test('the quick check accepts what ajv accepts, with the same defaults', async (t) => {
  let accepted = 0;
  let refused = 0;
  for (const schema of [...REAL, ...MADE_UP]) {
    const quick = quickCheck(schema);
    if (quick === undefined) {
      t.fail(`ajv has to check ${JSON.stringify(schema).slice(0, 200)}`);
      continue;
    }
    const check = compileFirst(schema);
    const sameAsAjv = (given: unknown) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return;
      const [value, copy] = [structuredClone(given), structuredClone(given)];
      const isValid = check(copy);
      if (quick(value) !== isValid) throw new Error(`ajv: ${isValid}, ${check.errors?.[0]?.message}`);
      if (isValid && JSON.stringify(value) !== JSON.stringify(copy)) throw new Error('other defaults');
      if (isValid) accepted++;
      else refused++;
    };
    fc.assert(fc.property(near(schema as Schema), sameAsAjv), { numRuns: 100 });
    for (const { manifest } of registry.all)
      sameAsAjv(schema === manifestSchema ? manifest : (manifest.example ?? {}));
  }
  t.ok(accepted > 500, `${accepted} values are accepted`);
  t.ok(refused > 500, `${refused} values are refused`);
});

const WRONG = {
  'a default at the root': { ...object({}), default: {} },
  'a default below anyOf': object({ a: { anyOf: [object({ b: { default: 1 } })] } }),
  'an unknown keyword': object({ a: { type: 'string', minimumLength: 1 } }),
  'an unknown type': object({ a: { type: 'text' } }),
  'a keyword of another type': object({ a: { type: 'string', minimum: 1 } }),
  'a keyword without a type': object({ a: { minimum: 1 } }),
  'a bound that is no number': object({ a: { type: 'number', minimum: '1' } }),
  'a length below 0': object({ a: { type: 'string', minLength: -1 } }),
  'a pattern that cannot be read': object({ a: { type: 'string', pattern: '(' } }),
  'no values': object({ a: { enum: [] } }),
  'a value twice': object({ a: { enum: [1, 1] } }),
  'a required member without a schema': object({}, ['a']),
  'a member that is no schema': object({ a: 5 }),
  'a description that is no text': object({ a: { description: 5 } }),
  'a name to exclude that is no list': object({ a: { type: 'string', excludes: 'b' } }),
  'a type twice': object({ a: { type: ['string', 'string'] } }),
};

t.test('ajv decides about a schema that it refuses', async (t) => {
  for (const [name, schema] of Object.entries(WRONG)) {
    t.throws(() => compileFirst(schema as ObjectSchema), name);
    t.equal(quickCheck(schema), undefined, name);
  }
  for (const schema of [undefined, null, [], 'object', true]) t.equal(quickCheck(schema), undefined);
});
