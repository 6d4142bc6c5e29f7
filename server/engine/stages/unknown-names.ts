import type { ChecksOptions } from '../../../core/contracts/chunker.ts';
import { type ErrorCode, invalid, ServiceError } from '../../../core/errors.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import type { Openers } from './openers.ts';

/**
 * Options of a chunker or refinery whose names of tokenizers, models, recipes and the like are still to be looked up.
 * Plain data.
 */
export interface NamedOptions {
  readonly kind: 'chunker' | 'refinery' | undefined;
  /** Name of the plugin. */
  readonly name: string;
  /** Where the options are, for messages: `steps[1].config.`; empty for those of a request. */
  readonly place: string;
  /** Those that fit the schema; the others are missing. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A refusal with the options whose names nobody has looked up, because others do not fit the schema. */
export interface Unlooked extends ServiceError {
  readonly named?: readonly NamedOptions[];
}

/** Adds to a refusal by the schema the options that do fit it. @param options as they were given */
export function withNamed(error: unknown, { options, ...rest }: NamedOptions): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') return error;
  const isRefused = (name: string) =>
    error.problems.some((problem) => problem.startsWith(`${rest.place}${name}`));
  const fitting = Object.fromEntries(Object.entries(options).filter(([name]) => !isRefused(name)));
  return Object.assign(error, { named: [{ ...rest, options: fitting }] } satisfies Pick<Unlooked, 'named'>);
}

/** Collects the refusals of several checks, so that a caller sees all problems at once. */
export class Refusals {
  readonly #codes: readonly string[];
  readonly #named: NamedOptions[] = [];
  readonly problems: string[];

  /**
   * @param codes of the errors that are collected
   * @param problems found before
   */
  constructor(codes: readonly ErrorCode[], problems: readonly string[] = []) {
    this.#codes = codes;
    this.problems = [...problems];
  }

  /** Runs a check. @returns its result; undefined if it refuses @throws another error, unless a refusal goes before it */
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

  /** Options that fit, whose names are looked up only if something else is refused. */
  note(options: NamedOptions): void {
    this.#named.push(options);
  }

  /** All of them as one error. */
  error(): Unlooked {
    return Object.assign(invalid(this.problems), { named: this.#named });
  }
}

const problemsOf = ({ problems, detail }: ServiceError): readonly string[] =>
  problems.length > 0 ? problems : [withoutStop(detail)];

interface Tools {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly openers: Openers;
}

/**
 * The same refusal with the unknown names that its options have, so that a caller sees all problems at once; other
 * errors as they are.
 */
export async function withUnknownNames(error: unknown, tools: Tools): Promise<unknown> {
  const { named = [] } = (error ?? {}) as Partial<Unlooked>;
  if (named.length === 0 || !(error instanceof ServiceError)) return error;
  const own = error.problems.length > 0 ? error.problems : [error.detail];
  const found = await unknownNames(named, tools);
  const more = found.filter((problem) => !own.some((one) => isSame(one, problem)));
  return more.length === 0 ? error : invalid([...own, ...more].map(withoutStop), error);
}

/** A problem may have been found without its place. */
function isSame(own: string, problem: string): boolean {
  return withoutStop(problem).endsWith(withoutStop(own));
}

const withoutStop = (problem: string): string => problem.replace(/\.$/, '');

async function unknownNames(named: readonly NamedOptions[], tools: Tools): Promise<string[]> {
  const problems = await Promise.all(
    named.map(async (one) => {
      const { tokenizer, embedding_model } = one.options;
      const { openers } = tools;
      const found = await Promise.all([
        unknownName(tokenizer, (name) => openers.tokenizer(name)),
        unknownName(embedding_model, (name) => openers.checkModel(name)),
        problemsOfPlugin(one, tools),
      ]);
      return found.flat().map((problem) => one.place + problem);
    }),
  );
  return [...new Set(problems.flat())];
}

/** Only an unknown name is a problem of the request. */
async function unknownName(
  name: unknown,
  look: (name: string) => Promise<unknown>,
): Promise<readonly string[]> {
  if (typeof name !== 'string') return [];
  const error: unknown = await look(name).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const isUnknown =
    error instanceof ServiceError && (error.code === 'unknown_tokenizer' || error.code === 'unknown_model');
  return isUnknown ? [error.detail] : [];
}

async function problemsOfPlugin(
  { kind, name, options }: NamedOptions,
  tools: Tools,
): Promise<readonly string[]> {
  const entry = kind === undefined ? undefined : tools.registry.find(kind, name);
  if (kind === undefined || entry === undefined || entry.missing.length > 0) return [];
  // A plugin without options has nothing to look up, and is loaded at its first use.
  if (Object.keys(entry.manifest.options?.properties ?? {}).length === 0) return [];
  return callPlugin(entry, async () => {
    const plugin = (await tools.host.get(kind, name)) as ChecksOptions;
    return plugin.check?.(options) ?? [];
  }).catch(() => []);
}
