import { isDeepStrictEqual } from 'node:util';

/** Whether a value matches a schema. Fills in defaults. @param owner has the value as a member @param root whole value */
type Check = (value: never, owner: Members, root: unknown) => boolean;

type Members = Record<string, unknown>;

/**
 * Creates the check of a schema without ajv, which is slow to load and to compile. The check names no problem, and
 * may refuse a valid value: ajv decides about a refused value.
 *
 * @returns undefined if ajv might refuse the schema, or the schema has uncommon keywords
 */
export function quickCheck(schema: unknown): ((value: unknown) => boolean) | undefined {
  try {
    if (!isObject(schema) || 'default' in schema) return undefined;
    const check = compile(schema, {}, false);
    return (value) => check(value as never, {}, value);
  } catch {
    return undefined;
  }
}

interface Keyword {
  /** The only type of values that the keyword checks; undefined for all. */
  readonly type?: string;
  /** Whether ajv accepts a value of the keyword. */
  takes(given: unknown, schema: Members): boolean;
  /** @param siblings the properties of the object that has the value @param isPart as in `compile` */
  compile?(given: never, schema: Members, siblings: Members, isPart: boolean): Check;
}

/** @param isPart whether the schema is below `anyOf`, where ajv allows no defaults @throws Error if ajv has to decide */
function compile(schema: unknown, siblings: Members, isPart: boolean): Check {
  if (!isObject(schema)) throw new Error('no schema');
  const types = schema.type === undefined ? [] : [schema.type as string | string[]].flat();
  const checks: Check[] = types.length === 0 ? [] : [isOneOf(types)];
  const add = (type: string | undefined, check: Check | undefined) => {
    if (check !== undefined)
      checks.push(types.length < 2 || type === undefined ? check : forType(type, check));
  };
  add('object', defaultsOf(schema, isPart));
  for (const [name, given] of Object.entries(schema)) {
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
    if (keyword?.takes(given, schema) !== true || !isFor(keyword, types)) throw new Error(name);
    add(keyword.type, keyword.compile?.(given as never, schema, siblings, isPart));
  }
  const [first = () => true] = checks;
  if (checks.length < 2) return first;
  return (value, owner, root) => {
    for (const check of checks) if (!check(value, owner, root)) return false;
    return true;
  };
}

/** Whether the schema allows values of the type of the keyword. Otherwise ajv refuses the schema. */
function isFor({ type }: Keyword, types: readonly string[]): boolean {
  return type === undefined || types.includes(type) || (type === 'number' && types.includes('integer'));
}

function forType(type: string, check: Check): Check {
  const isType = TYPES[type] as (value: unknown) => boolean;
  return (value, owner, root) => !isType(value) || check(value, owner, root);
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  number: Number.isFinite,
  integer: Number.isInteger,
  array: Array.isArray,
  object: isObject,
};

function isOneOf(types: readonly string[]): Check {
  const checks = types.map((type) => TYPES[type] as (value: unknown) => boolean);
  const [first] = checks;
  return checks.length === 1 ? (first as Check) : (value) => checks.some((isType) => isType(value));
}

/** Fills in the defaults of an object's members; undefined if there are none. */
function defaultsOf({ properties = {} }: Members, isPart: boolean): Check | undefined {
  const standards = Object.entries(properties as Record<string, Members>)
    .filter(([, member]) => member.default !== undefined)
    .map(([name, member]) => [name, copierOf(member.default)] as const);
  if (standards.length > 0 && isPart) throw new Error('a default below anyOf');
  if (standards.length === 0) return undefined;
  return (value: Members) => {
    for (const [name, copy] of standards) if (value[name] === undefined) value[name] = copy();
    return true;
  };
}

function copierOf(value: unknown): () => unknown {
  const text = JSON.stringify(value);
  const copy: unknown = JSON.parse(text);
  return isScalar(copy) ? () => copy : () => JSON.parse(text);
}

const isCount = (given: unknown) => Number.isInteger(given) && (given as number) >= 0;
const isText = (given: unknown) => typeof given === 'string';
const isScalar = (given: unknown) => typeof given !== 'object' || given === null;
const isSet = (given: unknown) =>
  Array.isArray(given) && given.every(isScalar) && new Set(given).size === given.length;

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: {
    takes: (given) =>
      isSet([given].flat()) && [given].flat().every((type) => Object.hasOwn(TYPES, String(type))),
  },
  default: { takes: () => true },
  description: { takes: isText },
  title: { takes: isText },
  examples: { takes: Array.isArray },
  effectiveWith: { takes: isObject },
  enum: {
    takes: (given) => isSet(given) && (given as unknown[]).length > 0,
    compile: (given: unknown[]) => (value) => given.includes(value),
  },
  const: { takes: isScalar, compile: (given) => (value) => value === given },
  anyOf: {
    takes: (given, { type }) => Array.isArray(given) && given.length > 0 && type === undefined,
    compile(given: unknown[]) {
      const checks = given.map((one) => compile(one, {}, true));
      return (value, owner, root) => checks.some((check) => check(value, owner, root));
    },
  },
  ...numberKeywords(),
  ...textKeywords(),
  ...listKeywords(),
  ...objectKeywords(),
  excludes: {
    takes: (given) => isSet(given),
    compile(others: string[], schema, siblings) {
      if (!Object.values(siblings).includes(schema)) throw new Error('no member of an object');
      return (value, owner) =>
        isDefault(value, schema) || others.every((name) => isDefault(owner[name], siblings[name] as Members));
    },
  },
};

function numberKeywords(): Record<string, Keyword> {
  const bound = (isWithin: (value: number, given: number) => boolean): Keyword => ({
    type: 'number',
    takes: Number.isFinite,
    compile: (given: number) => (value: number) => isWithin(value, given),
  });
  return {
    minimum: bound((value, given) => value >= given),
    maximum: bound((value, given) => value <= given),
    exclusiveMinimum: bound((value, given) => value > given),
    exclusiveMaximum: bound((value, given) => value < given),
    lessThan: {
      type: 'number',
      takes: isText,
      compile: (other: string) => (value: number, owner, root) => {
        const most = owner[other] ?? (root as Members)[other];
        return typeof most !== 'number' || value < most;
      },
    },
  };
}

function textKeywords(): Record<string, Keyword> {
  // A code point has one or two units: most texts need no counting.
  return {
    minLength: {
      type: 'string',
      takes: isCount,
      compile: (given: number) => (value: string) => value.length >= 2 * given || [...value].length >= given,
    },
    maxLength: {
      type: 'string',
      takes: isCount,
      compile: (given: number) => (value: string) => value.length <= given || [...value].length <= given,
    },
    pattern: {
      type: 'string',
      takes: isText,
      compile(given: string) {
        const pattern = new RegExp(given, 'u');
        return (value: string) => pattern.test(value);
      },
    },
  };
}

function listKeywords(): Record<string, Keyword> {
  return {
    minItems: {
      type: 'array',
      takes: isCount,
      compile: (given: number) => (value: unknown[]) => value.length >= given,
    },
    maxItems: {
      type: 'array',
      takes: isCount,
      compile: (given: number) => (value: unknown[]) => value.length <= given,
    },
    uniqueItems: {
      type: 'array',
      takes: (given) => typeof given === 'boolean',
      compile: (given: boolean) => (value: unknown[]) => !given || isSet(value),
    },
    items: {
      type: 'array',
      takes: isObject,
      compile(given, _schema, _siblings, isPart) {
        const check = compile(given, {}, isPart);
        return (value: never[], _owner, root) => value.every((item) => check(item, value as never, root));
      },
    },
  };
}

function objectKeywords(): Record<string, Keyword> {
  return {
    required: {
      type: 'object',
      takes: (given, { properties = {} }) =>
        isSet(given) && (given as string[]).every((name) => Object.hasOwn(properties as Members, name)),
      compile: (given: string[]) => (value: Members) => given.every((name) => value[name] !== undefined),
    },
    properties: {
      type: 'object',
      takes: isObject,
      compile(given: Members, _schema, _siblings, isPart) {
        const checks = Object.entries(given).map(
          ([name, one]) => [name, compile(one, given, isPart)] as const,
        );
        return (value: Members, _owner, root) => {
          for (const [name, check] of checks) {
            const member = value[name];
            if (member !== undefined && !check(member as never, value, root)) return false;
          }
          return true;
        };
      },
    },
    additionalProperties: {
      type: 'object',
      takes: (given) => given === false || isObject(given),
      compile(given: unknown, { properties = {} }, _siblings, isPart) {
        const check = given === false ? () => false : compile(given, {}, isPart);
        const known = new Set(Object.keys(properties as Members));
        return (value: Members, _owner, root) => {
          for (const name in value)
            if (!known.has(name) && !check(value[name] as never, value, root)) return false;
          return true;
        };
      },
    },
    propertyNames: {
      type: 'object',
      takes: (given) => isObject(given) && !('type' in given),
      compile(given: Members) {
        const check = compile({ ...given, type: 'string' }, {}, true);
        return (value: Members, _owner, root) =>
          Object.keys(value).every((name) => check(name as never, value, root));
      },
    },
  };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a member has the default of its schema. */
export function isDefault(value: unknown, schema: { readonly default?: unknown } | undefined): boolean {
  return value === undefined || isDeepStrictEqual(value, schema?.default);
}
