import type { ErrorObject, ValidateFunction } from 'ajv';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';

/** Finds what is wrong with the first bad item of a list. */
export type ListCheck = (value: Record<string, unknown>) => readonly ErrorObject[];

interface Compile {
  /** Stops at the first error. */
  first(schema: ObjectSchema): ValidateFunction;
  /** Finds all errors, but those within lists. */
  all(schema: ObjectSchema): ValidateFunction;
}

/** The checks of the top-level lists, each by itself: the check of the whole value stops at its first error. */
export function listChecks({ properties = {} }: ObjectSchema, { first, all }: Compile): ListCheck[] {
  return Object.entries(properties)
    .filter(hasItems)
    .map(([name, property]) => {
      const list = first({ type: 'object', properties: { [name]: property } } as ObjectSchema);
      const { items } = property as { readonly items?: ObjectSchema };
      const item = items?.type === 'object' ? all(items) : undefined;
      return (value) => {
        if (!Array.isArray(value[name]) || list({ [name]: value[name] })) return [];
        const errors = list.errors ?? [];
        const at = /^\/[^/]+\/\d+/.exec(errors[0]?.instancePath ?? '')?.[0];
        const bad: unknown = value[name][Number(at?.split('/')[2])];
        if (item === undefined || at === undefined || item(bad)) return errors;
        const own = (item.errors ?? []).filter(({ keyword }) => !RELATIVE.has(keyword));
        return [...errors, ...own.map((error) => ({ ...error, instancePath: at + error.instancePath }))];
      };
    });
}

function hasItems([, property]: readonly [string, unknown]): boolean {
  const { items, anyOf = [] } = property as { readonly items?: object; readonly anyOf?: readonly object[] };
  return items !== undefined || anyOf.some((one) => hasItems(['', one]));
}

/** Keywords whose messages are made from the whole schema. */
const RELATIVE: ReadonlySet<string> = new Set(['excludes', 'lessThan']);
