import type { ChecksOptions } from '../../../core/contracts/chunker.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import {
  type NamedOptions,
  problemsOf,
  type Refusals,
  type Unlooked,
  withoutStop,
} from '../validation/refusals.ts';
import { withSuggestion } from '../validation/suggest.ts';
import type { Openers } from './openers.ts';

interface Tools {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly openers: Openers;
}

/** Adds the unknown names in a request's options to its refusal. Other errors are unchanged. */
export async function withUnknownNames(error: unknown, tools: Tools): Promise<unknown> {
  const { named = [] } = (error ?? {}) as Partial<Unlooked>;
  if (named.length === 0 || !(error instanceof ServiceError)) return error;
  const own = problemsOf(error).map(withSuggestion);
  const all = joined(own, await unknownNames(named, tools)).map(withoutStop);
  const isSame = all.length === 1 && all[0] === problemsOf(error)[0];
  return isSame ? error : invalid(all, error);
}

/**
 * Refuses a request that has collected problems, or unknown names in noted options, before any work.
 *
 * @throws ServiceError `invalid_parameters` with all problems
 */
export async function refuseUnknownNames({ problems, named }: Refusals, tools: Tools): Promise<void> {
  const all = joined(problems, await unknownNames(named, tools)).map(withoutStop);
  if (all.length > 0) throw invalid(all);
}

/** Joins problems. Drops an own problem if `names` has the same problem with the option's place. */
function joined(own: readonly string[], names: readonly string[]): string[] {
  const isName = (problem: string) => names.some((one) => withoutStop(one).endsWith(withoutStop(problem)));
  return [...own.filter((problem) => !isName(problem)), ...names];
}

async function unknownNames(named: readonly NamedOptions[], tools: Tools): Promise<string[]> {
  const problems = await Promise.all(
    named.map(async (one) => {
      const { tokenizer, embedding_model } = one.options;
      const { openers } = tools;
      const found = await Promise.all([
        unknownName(tokenizer, (name) => openers.checkTokenizer(name)),
        unknownName(embedding_model, (name) => openers.checkModel(name)),
        problemsOfPlugin(one, tools),
      ]);
      return found.flat().map((problem) => one.place + problem);
    }),
  );
  return [...new Set(problems.flat())];
}

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
  // A plugin without options has no names to look up, so it need not be loaded.
  if (Object.keys(entry.manifest.options?.properties ?? {}).length === 0) return [];
  return callPlugin(entry, async () => {
    const plugin = (await tools.host.get(kind, name)) as ChecksOptions;
    return (plugin.check?.(options) ?? []).map(withSuggestion);
  }).catch(() => []);
}
