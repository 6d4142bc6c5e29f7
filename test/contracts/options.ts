import fc from 'fast-check';
import type { ObjectSchema } from '../../core/contracts.ts';

interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly lessThan?: string;
  readonly default?: unknown;
}

/** Values of options whose schema alone does not say which strings mean something. */
const MEANT: Readonly<Record<string, readonly unknown[]>> = {
  recipe: ['default', 'markdown', 'python', 'js'],
  language: ['python', 'js', 'c++', 'markdown', 'json', 'auto'],
  lang: ['en', 'zh', 'ja', 'ko', 'hi', 'ar', 'ru', 'de', 'fr', 'es', 'zh-Hans', 'xx'],
};

const SMALL = 40;

/** Valid options for a schema, most of them small, so that limits bite; each may be left out. */
export function anyOptions({ properties }: ObjectSchema): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(properties).map(([name, schema]) => [name, anyValue(name, schema)] as const);
  return fc
    .record(Object.fromEntries(members), {
      requiredKeys: members.map(([name]) => name).filter((name) => name === 'chunk_size'),
    })
    .map((options) => keepBelow(options, properties as Record<string, OptionSchema>));
}

function anyValue(name: string, schema: OptionSchema): fc.Arbitrary<unknown> {
  if (MEANT[name] !== undefined) return fc.constantFrom(...MEANT[name]);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((branch) => anyValue(name, branch)));
  const { minimum = 0, maximum = minimum + SMALL } = schema;
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: minimum, max: Math.min(maximum, minimum + SMALL) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(anyValue(name, schema.items ?? {}), { maxLength: 4 });
    default:
      return fc.oneof(
        fc.constantFrom('.', '. ', '\n', 'a', '😀', '\ude00', ' '),
        fc.string({ minLength: 1, maxLength: 3 }),
      );
  }
}

function keepBelow(
  options: Record<string, unknown>,
  properties: Record<string, OptionSchema>,
): Record<string, unknown> {
  for (const [name, { lessThan }] of Object.entries(properties)) {
    if (lessThan === undefined || options[name] === undefined) continue;
    const bound = (options[lessThan] ?? properties[lessThan]?.default) as number;
    options[name] = Math.min(options[name] as number, bound - 1);
  }
  return options;
}
