import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/** The type of an answer by its schema: read-only, and without unknown members. */
export type Described<S> = S extends JSONSchema ? Closed<FromSchema<S>> : never;

type Closed<T> = T extends readonly (infer Item)[]
  ? readonly Closed<Item>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? never : K]: Closed<T[K]> | Missing<T, K> }
    : T;

/** `undefined` if a member is optional, because JSON omits an undefined member. */
type Missing<T, K extends keyof T> = object extends Pick<T, K> ? undefined : never;

/** Schema of an object with these members. @param optional the members that may be missing */
export function object<const P extends object, const O extends keyof P & string = never>(
  properties: P,
  optional: readonly O[] = [],
) {
  const isRequired = (name: string) => !(optional as readonly string[]).includes(name);
  const required = Object.keys(properties).filter(isRequired) as Exclude<keyof P & string, O>[];
  return { type: 'object', required, properties } as const;
}

export function orNull<const S extends object>(schema: S) {
  return { anyOf: [schema, { type: 'null' }] } as const;
}

export function listOf<const S extends object>(items: S) {
  return { type: 'array', items } as const;
}

export function described<const S extends object>(description: string, schema: S) {
  return { ...schema, description } as const;
}

export const text = { type: 'string' } as const;
export const number = { type: 'number' } as const;
export const count = { type: 'integer' } as const;
export const natural = { type: 'integer', minimum: 0 } as const;

export const errorOfPart = object({
  status: described('The status that a request with only this input would have.', count),
  detail: described('What is wrong and what to change.', text),
});
