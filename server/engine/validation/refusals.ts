import { type ErrorCode, invalid, ServiceError } from '../../../core/errors.ts';

/** Options with names of tokenizers, models or recipes that have not been looked up yet. Plain data. */
export interface NamedOptions {
  readonly kind: 'chunker' | 'refinery' | undefined;
  readonly name: string;
  /** Place of the options, for messages: `steps[1].config.`; empty for the options of a request. */
  readonly place: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A refusal by the schema, with the options whose names have not been looked up. */
export interface Unlooked extends ServiceError {
  readonly named?: readonly NamedOptions[];
}

/** Adds the options that have no problem to a refusal by the schema. @param options all given options */
export function withNamed(error: unknown, { options, ...rest }: NamedOptions): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') return error;
  const fitting = fittingIn(options, rest.place, error.problems);
  return Object.assign(error, { named: [{ ...rest, options: fitting }] } satisfies Pick<Unlooked, 'named'>);
}

function fittingIn(
  options: NamedOptions['options'],
  place: string,
  problems: readonly string[],
): NamedOptions['options'] {
  const fitting = Object.entries(options).flatMap(([name, value]): [string, unknown][] => {
    const own = `${place}${name}`;
    if (!problems.some((problem) => problem.startsWith(own) && ENDS_NAME.has(problem.charAt(own.length))))
      return [[name, value]];
    const isWithin = problems.every((problem) => !problem.startsWith(`${own}:`));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isWithin && isObject
      ? [[name, fittingIn(value as object as NamedOptions['options'], `${own}.`, problems)]]
      : [];
  });
  return Object.fromEntries(fitting);
}

const ENDS_NAME: ReadonlySet<string> = new Set([':', '.', '[']);

/** Collects the refusals of several checks, so that a caller sees all problems at once. */
export class Refusals {
  readonly #codes: readonly string[];
  readonly #named: NamedOptions[] = [];
  readonly problems: string[];

  constructor(codes: readonly ErrorCode[] = ['invalid_parameters'], problems: readonly string[] = []) {
    this.#codes = codes;
    this.problems = [...problems];
  }

  /** Runs a check. @returns undefined if it refuses @throws any other error, unless a refusal came first */
  collect<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ServiceError) || !this.#codes.includes(error.code)) {
        if (this.problems.length === 0) throw error;
        return undefined;
      }
      this.problems.push(...problemsOf(error));
      this.#named.push(...((error as Unlooked).named ?? []));
      return undefined;
    }
  }

  /** Notes valid options. Their names are looked up after another refusal, or by `refuseUnknownNames`. */
  note(options: NamedOptions): void {
    this.#named.push(options);
  }

  get named(): readonly NamedOptions[] {
    return this.#named;
  }

  error(): Unlooked {
    return Object.assign(invalid(this.problems), { named: this.#named });
  }
}

/** The problems for which a check refuses a value. @throws errors that are not refusals */
export function problemsIn(check: () => unknown): readonly string[] {
  const refusals = new Refusals();
  refusals.collect(check);
  return refusals.problems;
}

/**
 * Turns a request's first refusal into one with all problems of the request. Other errors are unchanged.
 *
 * @param collect runs all checks that do not depend on each other
 */
export function withAllProblems(error: unknown, collect: (refusals: Refusals) => void): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') return error;
  const refusals = new Refusals();
  collect(refusals);
  return refusals.problems.length > 0 ? refusals.error() : error;
}

export const problemsOf = ({ problems, detail }: ServiceError): readonly string[] =>
  problems.length > 0 ? problems : [withoutStop(detail)];

/** Problems in a list have no full stop. */
export const withoutStop = (problem: string): string => problem.replace(/\.$/, '');
