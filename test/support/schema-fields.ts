/** A schema of an OpenAPI document, as far as it says which fields there are. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
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

/** Fields by their places, such as `chunks[].text`; the empty place is the value itself. */
export type Fields = ReadonlyMap<string, Field>;

const NONE: ReadonlySet<string> = new Set();

/** All fields that a schema tells of, in its parts and alternatives too. */
export function fieldsOf(schema: Schema, schemas: Schemas, refs: readonly string[] = []): Fields {
  const { $ref, allOf = [], anyOf, oneOf } = schema;
  const inner = (one: Schema, seen = refs) => fieldsOf(one, schemas, seen);
  const parts: Fields[] = [ownFields(schema, inner), ...allOf.map((one) => inner(one))];
  for (const alternatives of [anyOf, oneOf]) {
    if (alternatives !== undefined)
      parts.push(
        merged(
          alternatives.map((one) => inner(one)),
          'either',
        ),
      );
  }
  // What is within itself has its fields once.
  const name = $ref?.split('/').at(-1) ?? '';
  if ($ref !== undefined && !refs.includes(name)) parts.push(inner(schemas[name] ?? {}, [...refs, name]));
  return merged(parts, 'both');
}

function ownFields(schema: Schema, inner: (one: Schema) => Fields): Fields {
  const { type = [], enum: values = [], required = [], properties = {}, items, contentSchema } = schema;
  const types = new Set(typeof type === 'string' ? [type] : type);
  const own = { types, values: new Set(values.map((value) => JSON.stringify(value))), isRequired: false };
  const found = new Map<string, Field>([['', own]]);
  const nested: [place: string, schema: Schema, isRequired: boolean][] = [
    ...Object.entries(properties).map(([name, one]): [string, Schema, boolean] => [
      `.${name}`,
      one,
      required.includes(name),
    ]),
    ...(items === undefined ? [] : [['[]', items, true] as [string, Schema, boolean]]),
    ...(contentSchema === undefined ? [] : [['(line)', contentSchema, true] as [string, Schema, boolean]]),
  ];
  for (const [place, one, isRequired] of nested) {
    for (const [rest, field] of inner(one)) {
      found.set(place + rest, rest === '' ? { ...field, isRequired } : field);
    }
  }
  return found;
}

/** Fields of schemas that all hold, or of which one holds. */
function merged(parts: readonly Fields[], how: 'both' | 'either'): Fields {
  const places = new Set(parts.flatMap((part) => [...part.keys()]));
  return new Map(
    [...places].map((place) => {
      const fields = parts.flatMap((part) => part.get(place) ?? []);
      const isRequired =
        how === 'both'
          ? fields.some((field) => field.isRequired)
          : fields.length === parts.length && fields.every((field) => field.isRequired);
      const sets = (key: 'types' | 'values') =>
        joined(
          fields.map((field) => field[key]),
          how,
        );
      return [place, { types: sets('types'), values: sets('values'), isRequired }];
    }),
  );
}

/** Of alternatives, one that allows anything allows anything. */
function joined(sets: readonly ReadonlySet<string>[], how: 'both' | 'either'): ReadonlySet<string> {
  if (how === 'either' && sets.some((set) => set.size === 0)) return NONE;
  return new Set(sets.flatMap((set) => [...set]));
}
