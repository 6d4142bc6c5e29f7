import { flagName, type Option, variableName } from './option.ts';
import { OPTION_ENTRIES } from './options.ts';
import { writeSize } from './sizes.ts';

/** An option in words. */
export interface OptionRow {
  /** Empty if the option is read from the environment only. */
  readonly flag: string;
  readonly variable: string;
  /** The default as it is shown. */
  readonly shown: string;
  readonly description: string;
}

/** The options as rows of the help and of the table in OPTIONS.md. */
export function describeOptions(): OptionRow[] {
  return OPTION_ENTRIES.map(([name, option]) => ({
    flag: option.isVariableOnly === true ? '' : flagName(name),
    variable: variableName(name),
    shown: option.shownDefault ?? shownDefault(option),
    description:
      option.type === 'text' && option.choices !== undefined
        ? `${option.description} One of ${option.choices.join(', ')}.`
        : option.description,
  }));
}

function shownDefault({ type, default: value }: Option): string {
  return type === 'size' ? writeSize(value as number) : String(value);
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = describeOptions().map(({ flag, variable, shown, description }) =>
    line(flag || variable, shown === '' ? description : `${description} (${shown})`),
  );
  return [
    'chunksmith: splits text into chunks over HTTP',
    '',
    'Usage: chunksmith serve [options], or npm start -- [options] in a checkout',
    '',
    ...rows,
    line('--help', 'Show this text and exit.'),
    line('--version', 'Show the version and exit.'),
    '',
    'Every flag can be set by the environment variable of its name in capitals: --log-level is LOG_LEVEL.',
  ].join('\n');
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(20)} ${text}`;
}
