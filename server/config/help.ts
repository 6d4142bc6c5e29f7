import { flagName, type Option, variableName } from './option.ts';
import { OPTION_ENTRIES, type OptionName } from './options.ts';
import { writeSize } from './values.ts';

/** The description of an option. */
export interface OptionRow {
  /** Empty if the option is read only from the environment. */
  readonly flag: string;
  readonly variable: string;
  /** The default as shown to users. */
  readonly shown: string;
  readonly description: string;
}

/** The options as rows of the table in OPTIONS.md. */
export function describeOptions(): OptionRow[] {
  return OPTION_ENTRIES.map(([name, option]) => describeOption(name, option));
}

export function describeOption(name: OptionName, option: Option): OptionRow {
  return {
    flag: option.isVariableOnly === true || option.isSecret === true ? '' : flagName(name),
    variable: variableName(name),
    shown: option.shownDefault ?? shownDefault(option),
    description:
      option.choices === undefined
        ? option.description
        : `${option.description} One of ${option.choices.join(', ')}.`,
  };
}

function shownDefault({ type, default: value }: Option): string {
  return type === 'size' ? writeSize(value as number) : String(value);
}
