import { flagName, type OptionType, variableName } from './option.ts';
import { OPTION_ENTRIES } from './options.ts';
import { writeSize } from './values.ts';

/** The description of an option. */
export interface OptionRow {
  readonly type: OptionType;
  /** Empty if the option is read only from the environment. */
  readonly flag: string;
  readonly variable: string;
  /** The default as shown to users. */
  readonly shown: string;
  readonly description: string;
}

/** A description for a terminal, which shows no links: `[Buckets](CORPORA.md#buckets)` is Buckets in server/CORPORA.md. */
export function withoutLinks(description: string): string {
  return description.replace(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g, '$1 in server/$2');
}

/** The options as rows of the table in OPTIONS.md. */
export function describeOptions(): OptionRow[] {
  return OPTION_ENTRIES.map(([name, option]) => {
    const { type, isVariableOnly = false, isSecret = false, choices, description } = option;
    const value = type === 'size' ? writeSize(option.default as number) : String(option.default);
    return {
      type,
      flag: isVariableOnly || isSecret ? '' : flagName(name),
      variable: variableName(name),
      shown: option.shownDefault ?? value,
      description: choices === undefined ? description : `${description} One of ${choices.join(', ')}.`,
    };
  });
}
