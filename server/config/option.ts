import { availableParallelism, totalmem } from 'node:os';

/** A value of the configuration, by the type of its option. */
export interface ValueOf {
  text: string;
  integer: number;
  /** A number of bytes, written as such or as a size: `10MB`, `512KiB`. */
  size: number;
  boolean: boolean;
  /** Items separated by commas. */
  list: readonly string[];
  /** Names and their meanings, as `name=name` separated by commas. */
  pairs: Readonly<Record<string, string>>;
  /** How many proxies are in front of the server, or their addresses and networks; 0 if none is trusted. */
  proxies: number | readonly string[];
}

export type OptionType = keyof ValueOf;
type Default<Type extends OptionType> = ValueOf[Type] | ((machine: Machine) => ValueOf[Type]);

/** An option of the server: a row of the table in `options.ts`. */
export interface Option<Type extends OptionType = OptionType> extends OptionDetails {
  readonly type: Type;
  readonly default: Default<Type>;
  readonly description: string;
}

interface OptionDetails {
  /** Shown in help and OPTIONS.md instead of the default. */
  readonly shownDefault?: string;
  /** Whether it is read only from the environment, so that it shows in no list of processes. */
  readonly isVariableOnly?: boolean;
  /** Whether its value must not be shown, even if it is wrong; then it is read only from the environment too. */
  readonly isSecret?: boolean;
  /** Whether an empty variable is a mistake; for other options it counts as not set. */
  readonly isNeverEmpty?: boolean;
  /** For a text, in lower case; texts are compared case-insensitively. */
  readonly choices?: readonly string[];
  /** Other words for choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly pattern?: RegExp;
  /** The pattern in words. */
  readonly expected?: string;
  /** Parses what a pattern cannot check, each item of a list; not called for an empty text. */
  readonly read?: (text: string) => Read<string>;
  /** For a number or a size; default 1. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A parsed value, or what was expected instead. */
export type Read<T> = { readonly value: T } | { readonly expected: string };

/** Creates a function that makes the rows of one type. */
export const optionOf =
  <Type extends OptionType>(type: Type) =>
  (value: Default<Type>, description: string, details: OptionDetails = {}): Option<Type> => ({
    type,
    default: value,
    description,
    ...details,
  });

/** `logLevel` is `--log-level`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `logLevel` is `LOG_LEVEL`. */
export function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Properties of the machine that determine defaults. */
export interface Machine {
  readonly cores: number;
  /** Bytes of memory of the machine, or of the container if that has less. */
  readonly memoryBytes: number;
}

export function readMachine(): Machine {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return { cores: availableParallelism(), memoryBytes: Math.min(limit, totalmem()) };
}
