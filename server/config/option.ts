import { availableParallelism, totalmem } from 'node:os';

export interface ValueOf {
  text: string;
  integer: number;
  /** A number of bytes, written as such or as a size: `10MB`, `512KiB`. */
  size: number;
  boolean: boolean;
  /** Items separated by commas. */
  list: readonly string[];
  /** Names mapped to names, as `name=name` separated by commas. */
  pairs: Readonly<Record<string, string>>;
  /** Number of trusted proxies in front of the server, or their addresses and networks; 0 for none. */
  proxies: number | readonly string[];
}

export type OptionType = keyof ValueOf;
type Default<Type extends OptionType> = ValueOf[Type] | ((machine: Machine) => ValueOf[Type]);

export interface Option<Type extends OptionType = OptionType> extends OptionDetails {
  readonly type: Type;
  readonly default: Default<Type>;
  readonly description: string;
}

interface OptionDetails {
  /** Shown in help and OPTIONS.md instead of the default. */
  readonly shownDefault?: string;
  /** Whether the option is read only from the environment, which hides it from lists of processes. */
  readonly isVariableOnly?: boolean;
  /** Whether the value must not be shown, even if wrong. Such an option is read only from the environment. */
  readonly isSecret?: boolean;
  /** Whether an empty variable is an error; other options treat it as unset. */
  readonly isNeverEmpty?: boolean;
  /** Valid texts in lower case; the comparison ignores case. */
  readonly choices?: readonly string[];
  /** Choices by their synonyms. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly pattern?: RegExp;
  /** Description of the pattern, for messages. */
  readonly expected?: string;
  /** Parses what a pattern cannot check: a text, or each item of a list. Not called for an empty text. */
  readonly read?: (text: string) => Read<string>;
  /** For numbers and sizes; default 1. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A parsed value, or what was expected instead. */
export type Read<T> = { readonly value: T } | { readonly expected: string };

export const optionOf =
  <Type extends OptionType>(type: Type) =>
  (value: Default<Type>, description: string, details: OptionDetails = {}): Option<Type> => ({
    type,
    default: value,
    description,
    ...details,
  });

/** `logLevel` becomes `--log-level`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `logLevel` becomes `LOG_LEVEL`. */
export function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

export interface Machine {
  readonly cores: number;
  /** Memory in bytes of the machine, or of the container if it has less. */
  readonly memoryBytes: number;
}

export function readMachine(): Machine {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return { cores: availableParallelism(), memoryBytes: Math.min(limit, totalmem()) };
}
