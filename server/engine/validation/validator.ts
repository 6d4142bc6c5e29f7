import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { CreateCheck } from '../../../core/contracts/collaborators.ts';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import { isDefault, quickCheck } from './quick-check.ts';
import { suggest } from './suggest.ts';

/**
 * Checks a value, fills in its defaults and returns it.
 *
 * @param place prefix of a parameter's name in a problem, such as `steps[1].config.`
 * @throws ServiceError `invalid_parameters`
 */
export type Validate = (value: unknown, place?: string) => Record<string, unknown>;

const MAX_PROBLEMS = 20;

/**
 * Creates the check of one schema. Values are never converted to another type. The check reports all problems of
 * a value, but only the first bad item of a list.
 */
export function createValidator(schema: ObjectSchema): Validate {
  // Compiled at first use, because compiling slows down the start. Ajv is needed only for a value with problems.
  let quick: ReturnType<typeof quickCheck>;
  let first: ValidateFunction | undefined;
  let all: ValidateFunction | undefined;
  let lists: readonly ListCheck[] | undefined;
  return (value, place = '') => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const name = place === '' ? 'body' : place.slice(0, -1);
      throw invalid(`${name}: expected an object, got ${preview(value)}`);
    }
    quick ??= quickCheck(schema) ?? (() => false);
    if (quick(value)) return value as Record<string, unknown>;
    first ??= compileFirst(schema);
    if (first(value)) return value as Record<string, unknown>;
    const found = first.errors ?? [];
    all ??= ajvOfAll().compile(withoutItems(schema));
    const every = all(value) ? [] : (all.errors ?? []);
    lists ??= listChecks(schema, COMPILE);
    const items = lists.flatMap((check) => check(value as Record<string, unknown>));
    const relevant = [...relevantErrors(every), ...relevantErrors(found), ...relevantErrors(items)].filter(
      (error) => !isBoundByWrong(error, every),
    );
    const problems = new Set(
      relevant.map((error) => problemOf(error, value as Record<string, unknown>, schema)),
    );
    throw invalidValue([...problems].map((problem) => place + problem));
  };
}

/**
 * Compiles a schema.
 *
 * @returns a function that tells whether a value matches the schema, and fills in the value's defaults
 * @throws Error if the schema is invalid, or has an unknown keyword
 */
export function checkSchema(schema: ObjectSchema): (value: object) => boolean {
  const check = quickCheck(schema);
  if (check === undefined) return compileFirst(schema);
  return (value) => check(value) || compileFirst(schema)(value);
}

/** Creates a check by which plugins validate the files that they read. */
export const createCheck: CreateCheck = (schema) => {
  const validate = createValidator(schema);
  return (value, place) => {
    try {
      validate(value, place);
      return [];
    } catch (error) {
      if (error instanceof ServiceError) return error.problems;
      throw error;
    }
  };
};

export const KEYWORDS = [
  ...['type', 'default', 'description', 'title', 'examples', 'enum', 'const'],
  ...['anyOf', 'oneOf', 'allOf', 'not'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'items', 'minItems', 'maxItems', 'uniqueItems'],
  ...['properties', 'required', 'additionalProperties', 'lessThan', 'excludes', 'effectiveWith'],
];

/** One instance for all schemas, because every new Ajv compiles the meta-schema first. */
const ajvOfAll = once(() => createAjv({ allErrors: true }));
const ajvOfFirst = once(() => createAjv({}));

/** Compiles a schema with ajv. The check stops at the first error. */
export const compileFirst = (schema: ObjectSchema): ValidateFunction => ajvOfFirst().compile(schema);

const require = createRequire(import.meta.url);

function createAjv(more: Options): Ajv {
  const { Ajv } = require('ajv') as typeof import('ajv');
  const options = { strict: true, allowUnionTypes: true, useDefaults: true, verbose: true };
  return addKeywords(new Ajv({ ...options, addUsedSchema: false, ...more }));
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function invalidValue(problems: readonly string[]): ServiceError {
  const shown = withOneKnown(problems.slice(0, MAX_PROBLEMS));
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more problems`);
  return invalid(shown);
}

/** Keeps a list of known names only in the first problem that contains the list. */
function withOneKnown(problems: readonly string[]): string[] {
  const said = new Set<string>();
  return problems.map((problem) => {
    const at = problem.lastIndexOf(KNOWN);
    const known = problem.slice(at);
    if (at === -1 || !said.has(known)) {
      said.add(known);
      return problem;
    }
    return problem.slice(0, at);
  });
}

const COMPILE = {
  first: compileFirst,
  all: (schema: ObjectSchema) => ajvOfAll().compile(withoutItems(schema)),
};

function withoutItems(schema: ObjectSchema): ObjectSchema {
  const properties = Object.entries(schema.properties ?? {});
  const shallows = properties.map(([name, property]) => [name, shallow(property)]);
  return { ...schema, properties: Object.fromEntries(shallows) };
}

function shallow(schema: object): object {
  const { items: _, anyOf, ...rest } = schema as { items?: object; anyOf?: object[] };
  return anyOf === undefined ? rest : { ...rest, anyOf: anyOf.map(shallow) };
}

function relevantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath);
  return errors.filter((error) => !isBranchOfUnion(error, errors, unions));
}

function isBoundByWrong({ keyword, schema }: ErrorObject, errors: readonly ErrorObject[]): boolean {
  if (keyword !== 'lessThan') return false;
  return errors.some((other) => other.keyword !== 'lessThan' && other.instancePath === `/${schema}`);
}

/** Whether an error about a union is redundant. If an item has errors, only these count; else the union's own. */
function isBranchOfUnion(
  error: ErrorObject,
  errors: readonly ErrorObject[],
  unions: readonly string[],
): boolean {
  if (!unions.includes(error.instancePath)) return false;
  const hasDeeper = errors.some(({ instancePath }) => instancePath.startsWith(`${error.instancePath}/`));
  return hasDeeper || error.keyword !== 'anyOf';
}

function problemOf(error: ErrorObject, value: Record<string, unknown>, schema: ObjectSchema): string {
  const path = pathOf(error.instancePath);
  const params = error.params as Record<string, string>;
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownParameter(join(path, params.additionalProperty as string), error);
    case 'required': {
      const name = params.missingProperty as string;
      // `first` and `all` take the expected value from the whole schema, so that their messages agree.
      const parent = path === '' ? schema : (error.parentSchema as ObjectSchema);
      const missing = parent.properties?.[name];
      return `${join(path, name)}: missing, expected ${missing === undefined ? 'a value' : expectation(missing)}`;
    }
    case 'lessThan': {
      const other = error.schema as string;
      const bound = ownerIn(value, error.instancePath)[other] ?? value[other];
      return `${path}: expected less than ${other} (${preview(bound)}), got ${preview(error.data)}`;
    }
    case 'excludes': {
      const owner = ownerIn(value, error.instancePath);
      const { properties } = ownerOf(schema, error.schemaPath.replace(/\/excludes$/, ''));
      const others = (error.schema as string[]).filter((name) => !isDefault(owner[name], properties[name]));
      return `${path}: cannot be given together with ${others.join(' or ')}; leave one of them out`;
    }
    default: {
      const member = schema.properties?.[path];
      return `${path}: expected ${expectation(member ?? error.parentSchema ?? {})}, got ${preview(error.data)}`;
    }
  }
}

function ownerIn(value: Record<string, unknown>, pointer: string): Record<string, unknown> {
  const names = pointer.split('/').slice(1, -1);
  return names.reduce((owner, name) => owner[name] as Record<string, unknown>, value);
}

const KNOWN = ', valid names: ';

function unknownParameter(path: string, error: ErrorObject): string {
  const known = Object.keys((error.parentSchema as ObjectSchema).properties ?? {});
  const near = suggest(path.split('.').at(-1) as string, known);
  const remedy = near === undefined ? `${KNOWN}${known.join(', ')}` : `, did you mean "${near}"?`;
  return `${cutShort(path)}: unknown parameter${remedy}`;
}

/** `/delim/3` becomes `delim[3]`. */
function pathOf(pointer: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/**
 * Adds the keywords of parameters. `lessThan: "x"`: the value must be below the member `x` of its own object, or
 * else of the whole value. `excludes: ["x"]`: unless the value is the default, `x` in the same object must have
 * its own default. `effectiveWith` checks nothing.
 */
function addKeywords(ajv: Ajv): Ajv {
  ajv.addKeyword({
    keyword: 'excludes',
    schemaType: 'array',
    compile: (others: string[], own, { schemaEnv, errSchemaPath }) => {
      const { properties } = ownerOf(schemaEnv.root.schema as ObjectSchema, errSchemaPath);
      return (value, context) =>
        isDefault(value, own as OptionSchema) ||
        others.every((name) =>
          isDefault(context?.parentData[name], properties[name] as OptionSchema | undefined),
        );
    },
    errors: false,
  });
  // Only forms for users need this keyword: a value without effect is valid.
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

/** The schema of the object that owns a property. @param path of the property: `#/properties/x/items/properties/y` */
function ownerOf(schema: ObjectSchema, path: string): ObjectSchema {
  const steps = path.split('/').slice(1, -2);
  return steps.reduce(
    (owner, step) => owner[step] as Members,
    schema as unknown as Members,
  ) as unknown as ObjectSchema;
}

type Members = Readonly<Record<string, unknown>>;

const MAX_PREVIEW_LENGTH = 60;

export interface OptionSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly OptionSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly items?: OptionSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly lessThan?: string;
  readonly excludes?: readonly string[];
  readonly effectiveWith?: Readonly<Record<string, readonly unknown[]>>;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** The expected value of a schema: `an integer from 1 to 100`, `a list in which each item is a string`. */
function expectation(schema: OptionSchema): string {
  const { anyOf, enum: values, type, items, minItems, const: constant } = schema;
  if (anyOf !== undefined) return anyOf.map(expectation).join(' or ');
  if (values !== undefined) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (constant !== undefined) return JSON.stringify(constant);
  if (typeof type === 'object') return type.map((one) => expectation({ ...schema, type: one })).join(' or ');
  if (type === 'array') {
    const least = minItems === undefined ? '' : ` of at least ${minItems}`;
    return `a list${least}${items === undefined ? '' : ` in which each item is ${expectation(items)}`}`;
  }
  if (type === 'integer') return `an integer${bounds(schema)}`;
  if (type === 'number') return `a number${bounds(schema)}`;
  if (type === 'string') return `a string${lengths(schema)}`;
  if (type === 'boolean') return 'true or false';
  return type === 'null' ? 'null' : 'an object';
}

function bounds(schema: OptionSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const parts: string[] = [];
  if (minimum !== undefined) parts.push(`of at least ${minimum}`);
  if (exclusiveMinimum !== undefined) parts.push(`above ${exclusiveMinimum}`);
  if (maximum !== undefined) parts.push(`of at most ${maximum}`);
  if (exclusiveMaximum !== undefined) parts.push(`below ${exclusiveMaximum}`);
  return parts.length === 0 ? '' : ` ${parts.join(' and ')}`;
}

function lengths({ minLength, maxLength, pattern }: OptionSchema): string {
  if (pattern !== undefined) return ` that matches ${pattern}`;
  if (maxLength !== undefined) return ` of ${minLength ?? 0} to ${maxLength} characters`;
  return minLength === undefined ? '' : ` of at least ${minLength} characters`;
}

/** A short description of a received value: texts are truncated, lists and objects are only named. */
function preview(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  return cutShort(JSON.stringify(value));
}

function cutShort(text: string): string {
  return text.length <= MAX_PREVIEW_LENGTH ? text : `${text.slice(0, MAX_PREVIEW_LENGTH)}…`;
}

type ListCheck = (value: Record<string, unknown>) => readonly ErrorObject[];

interface Compile {
  /** Stops at the first error. */
  first(schema: ObjectSchema): ValidateFunction;
  /** Finds all errors, except within lists. */
  all(schema: ObjectSchema): ValidateFunction;
}

/** A check for each top-level list, because the check of the whole value stops at the first error of all lists. */
function listChecks({ properties = {} }: ObjectSchema, { first, all }: Compile): ListCheck[] {
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

const RELATIVE: ReadonlySet<string> = new Set(['excludes', 'lessThan']);
