import { availableParallelism, totalmem } from 'node:os';

interface OptionBase<T> {
  readonly default: T;
  readonly description: string;
  /** What help and OPTIONS.md show instead of the default. */
  readonly shownDefault?: string;
  /** Whether it is read from the environment only, so that it shows in no list of processes. */
  readonly isVariableOnly?: boolean;
  /** Whether its value must not be shown, not even when it is wrong. */
  readonly isSecret?: boolean;
  /** Whether an empty variable is a mistake; of other options it counts as not set. */
  readonly isNeverEmpty?: boolean;
}

/** A value that was read from a text, or what was expected of the text instead. */
export type Read<T> = { readonly value: T } | { readonly expected: string };

export interface TextOption extends OptionBase<string> {
  readonly type: 'text';
  /** In lower case; texts are compared without regard to case. */
  readonly choices?: readonly string[];
  /** Other words for choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly pattern?: RegExp;
  /** What the pattern stands for, in words. */
  readonly expected?: string;
  /** Reads what a pattern cannot check; not called for an empty text. */
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
  /** Reads each item. */
  readonly read?: (item: string) => Read<string>;
}

/** Names and what each stands for, as `name=name` separated by commas. */
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

/** What of the machine decides about defaults. */
export interface Machine {
  readonly cores: number;
  /** Bytes of memory of the machine, or of the container if that has less. */
  readonly memoryBytes: number;
}

export function readMachine(): Machine {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return { cores: availableParallelism(), memoryBytes: Math.min(limit, totalmem()) };
}
