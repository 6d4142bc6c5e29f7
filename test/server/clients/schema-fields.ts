/** A schema of an OpenAPI document, as far as it says which fields there are. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Schemas;
  readonly items?: Schema;
  readonly contentSchema?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

/** What is known of a field: an empty set of types or values is any. */
export interface Field {
  readonly types: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly isRequired: boolean;
}

/** Fields by their places, such as `.chunks[].text`; the empty place is the value itself. */
export type Fields = ReadonlyMap<string, Field>;

/** All fields that a schema tells of, in its parts and alternatives too. */
export function fieldsOf(schema: Schema, schemas: Schemas, refs: readonly string[] = []): Fields {
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema;
  const all = (given: readonly Schema[], seen = refs) => given.map((one) => fieldsOf(one, schemas, seen));
  const parts = [ownFields(schema, (one) => fieldsOf(one, schemas, refs)), ...all(allOf)];
  for (const alternatives of [anyOf, oneOf]) parts.push(merged(all(alternatives), 'either'));
  // What is within itself has its fields once.
  const name = $ref?.split('/').at(-1) ?? '';
  if ($ref !== undefined && !refs.includes(name)) parts.push(...all([schemas[name] ?? {}], [...refs, name]));
  return merged(parts, 'both');
}

function ownFields(schema: Schema, inner: (one: Schema) => Fields): Fields {
  const { type = [], enum: values = [], required = [], properties = {}, items, contentSchema } = schema;
  const own = {
    types: new Set([type].flat()),
    values: new Set(values.map((value) => JSON.stringify(value))),
    isRequired: false,
  };
  const found = new Map<string, Field>([['', own]]);
  const add = (place: string, one: Schema | undefined, isRequired = true) => {
    if (one === undefined) return;
    for (const [rest, field] of inner(one))
      found.set(place + rest, rest === '' ? { ...field, isRequired } : field);
  };
  for (const [name, one] of Object.entries(properties)) add(`.${name}`, one, required.includes(name));
  add('[]', items);
  add('(line)', contentSchema);
  return found;
}

/** Fields of schemas that all hold, or of which one holds. */
function merged(parts: readonly Fields[], how: 'both' | 'either'): Fields {
  const places = new Set(parts.flatMap((part) => [...part.keys()]));
  const fieldAt = (place: string): Field => {
    const fields = parts.flatMap((part) => part.get(place) ?? []);
    const required = fields.filter(({ isRequired }) => isRequired);
    // Of alternatives, one that allows anything allows anything.
    const joined = (sets: readonly ReadonlySet<string>[]) =>
      new Set(how === 'either' && sets.some(({ size }) => size === 0) ? [] : sets.flatMap((set) => [...set]));
    return {
      types: joined(fields.map(({ types }) => types)),
      values: joined(fields.map(({ values }) => values)),
      isRequired: how === 'both' ? required.length > 0 : required.length === parts.length,
    };
  };
  return new Map([...places].map((place) => [place, fieldAt(place)]));
}
