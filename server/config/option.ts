import { availableParallelism, totalmem } from 'node:os';

interface OptionBase<T> {
  readonly default: T;
  readonly description: string;
  /** Shown in help and OPTIONS.md instead of the default. */
  readonly shownDefault?: string;
  /** Whether it is read only from the environment, so that it shows in no list of processes. */
  readonly isVariableOnly?: boolean;
  /** Whether its value must not be shown, even if it is wrong. */
  readonly isSecret?: boolean;
  /** Whether an empty variable is a mistake; for other options it counts as not set. */
  readonly isNeverEmpty?: boolean;
}

/** A parsed value, or what was expected instead. */
export type Read<T> = { readonly value: T } | { readonly expected: string };

export interface TextOption extends OptionBase<string> {
  readonly type: 'text';
  /** In lower case; texts are compared case-insensitively. */
  readonly choices?: readonly string[];
  /** Other words for choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly pattern?: RegExp;
  /** What the pattern requires, in words. */
  readonly expected?: string;
  /** Parses what a pattern cannot check; not called for an empty text. */
  readonly read?: (text: string) => Read<string>;
}

export interface IntegerOption extends OptionBase<number | ((machine: Machine) => number)> {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum?: number;
}

/** A number of bytes, written as such or as a size: `10MB`, `512KiB`. */
export interface SizeOption extends OptionBase<number | ((machine: Machine) => number)> {
  readonly type: 'size';
  readonly minimum: number;
}

export interface SwitchOption extends OptionBase<boolean> {
  readonly type: 'boolean';
}

/** Items separated by commas. */
export interface ListOption extends OptionBase<readonly string[]> {
  readonly type: 'list';
  /** Parses each item. */
  readonly read?: (item: string) => Read<string>;
}

/** Names and their meanings, as `name=name` separated by commas. */
export interface PairsOption extends OptionBase<Readonly<Record<string, string>>> {
  readonly type: 'pairs';
}

/** An option of the server: a row of the table in `options.ts`. */
export type Option = TextOption | IntegerOption | SizeOption | SwitchOption | ListOption | PairsOption;

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
