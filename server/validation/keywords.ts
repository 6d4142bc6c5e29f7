import { isDeepStrictEqual } from 'node:util';
import type { Ajv } from 'ajv';
import type { ObjectSchema } from '../../core/contracts/manifest.ts';

/**
 * Adds `lessThan: "x"`: the value must be below that of the member `x` of the same object, or of the whole value if that
 * object has none; and `excludes: ["x"]`: if the value is not the default, no member `x` of the same object has another
 * value than its own default. `effectiveWith` is known and checks nothing.
 */
export function addKeywords(ajv: Ajv): Ajv {
  ajv.addKeyword({
    keyword: 'excludes',
    schemaType: 'array',
    compile: (others: string[], own, { schemaEnv, errSchemaPath }) => {
      const { properties } = ownerOf(schemaEnv.root.schema as ObjectSchema, errSchemaPath);
      return (value, context) =>
        isDefault(value, own as WithDefault) ||
        others.every((name) =>
          isDefault(context?.parentData[name], properties[name] as WithDefault | undefined),
        );
    },
    errors: false,
  });
  // For whoever fills in a form; a value without effect is no mistake.
  ajv.addKeyword({ keyword: 'effectiveWith', schemaType: 'object' });
  return ajv.addKeyword({
    keyword: 'lessThan',
    type: 'number',
    schemaType: 'string',
    compile: (other: string) => (value, context) => {
      const { parentData = {}, rootData = {} } = context ?? {};
      const bound = (parentData as Members)[other] ?? (rootData as Members)[other];
      return typeof bound !== 'number' || value < bound;
    },
    errors: false,
  });
}

/** The schema of the object that a property belongs to, by the property's path: `#/properties/x/properties/y`. */
export function ownerOf(schema: ObjectSchema, path: string): ObjectSchema {
  const names = path.split('/').filter((_, index) => index % 2 === 0);
  const objects = names.slice(1, -1) as readonly string[];
  return objects.reduce((owner, name) => owner.properties[name] as ObjectSchema, schema);
}

type Members = Readonly<Record<string, unknown>>;

interface WithDefault {
  readonly default?: unknown;
}

export function isDefault(value: unknown, schema: WithDefault | undefined): boolean {
  return value === undefined || isDeepStrictEqual(value, schema?.default);
}
