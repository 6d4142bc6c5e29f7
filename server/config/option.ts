import { availableParallelism, totalmem } from 'node:os';

export interface ValueOf {
  text: string;
  integer: number;
  /** Bytes, written as a number or with a unit: `10MB`, `512KiB`. */
  size: number;
  boolean: boolean;
  /** Items separated by commas. */
  list: readonly string[];
  /** Aliases, written as `alias=name` and separated by commas. */
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
  /** Text that help and OPTIONS.md show instead of the default. */
  readonly shownDefault?: string;
  /** Whether the option has no flag, only an environment variable, so that `ps` does not show the value. */
  readonly isVariableOnly?: boolean;
  /** Whether messages must not show the value. Such an option has no flag, only an environment variable. */
  readonly isSecret?: boolean;
  /** Whether an empty variable is an error. By default, an empty variable counts as unset. */
  readonly isNeverEmpty?: boolean;
  /** Valid texts, in lower case. Values are compared without regard to case. */
  readonly choices?: readonly string[];
  /** Maps a synonym to the choice that it means. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly pattern?: RegExp;
  /** What the pattern accepts, in words for messages. */
  readonly expected?: string;
  /** Parses a text, or each item of a list, if a pattern is not enough. Not called for an empty text. */
  readonly read?: (text: string) => Read<string>;
  /** Minimum of a number or size; default 1. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The parsed value or, if the text is invalid, a description of valid texts. */
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
