import { parseArgs } from 'node:util';
import { suggest } from '../validation/suggest.ts';
import { flagName, type Option } from './option.ts';
import { OPTION_ENTRIES, type OptionName } from './options.ts';

/** The texts of the flags that were given, and what is wrong with the others. */
export interface Flags {
  readonly values: ReadonlyMap<OptionName, string>;
  readonly problems: readonly string[];
}

interface Flag {
  readonly name: OptionName;
  readonly option: Option;
}

/** The options that are flags, by their names without the dashes in front. */
const FLAGS: ReadonlyMap<string, Flag> = new Map(
  OPTION_ENTRIES.filter(([, { isVariableOnly }]) => isVariableOnly !== true).map(([name, option]) => [
    flagName(name).slice(2),
    { name, option },
  ]),
);

/** Reads `--flag value`, `--flag=value`, `--switch` and `--no-switch`. The last one counts; lists add up. */
export function readFlags(args: readonly string[]): Flags {
  const values = new Map<OptionName, string>();
  const problems: string[] = [];
  for (const token of tokensOf(args)) {
    if (token.kind === 'positional') problems.push(`${token.value}: not a flag; flags begin with --`);
    if (token.kind !== 'option') continue;
    const problem = takeFlag(values, token);
    if (problem !== undefined) problems.push(problem);
  }
  return { values, problems };
}

/** Node's parser with `strict` would stop at the first flag that is wrong. */
function tokensOf(args: readonly string[]) {
  const options = Object.fromEntries(
    [...FLAGS].map(([flag, { option }]) => [
      flag,
      { type: option.type === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  return parseArgs({ args: [...args], options, strict: false, tokens: true, allowNegative: true }).tokens;
}

interface Given {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

/** Adds the text of a flag to the values, or says what is wrong with it. */
function takeFlag(values: Map<OptionName, string>, given: Given): string | undefined {
  const isNegated = given.rawName.startsWith('--no-');
  const flag = FLAGS.get(isNegated ? given.rawName.slice('--no-'.length) : given.name);
  if (flag === undefined) return unknownFlag(given.rawName);
  const { name, option } = flag;
  const value = option.type === 'boolean' ? (given.value ?? String(!isNegated)) : given.value;
  if (value === undefined) return `${given.rawName}: a value is missing`;
  const before = option.type === 'list' ? values.get(name) : undefined;
  values.set(name, before === undefined ? value : `${before},${value}`);
  return undefined;
}

function unknownFlag(rawName: string): string {
  const near = suggest(rawName.replace(/^-+(no-)?/, ''), [...FLAGS.keys()]);
  return `${rawName}: unknown flag${near === undefined ? '; --help lists them' : `, did you mean --${near}?`}`;
}
