import type { Machine } from './machine.ts';

interface OptionBase<T> {
  readonly default: T;
  readonly description: string;
  /** What help and README show instead of the default. */
  readonly shownDefault?: string;
  /** Whether it is read from the environment only, so that it shows in no list of processes. */
  readonly isVariableOnly?: boolean;
  /** Whether an empty variable is a mistake; of other options it counts as not set. */
  readonly isNeverEmpty?: boolean;
}

export interface TextOption extends OptionBase<string> {
  readonly type: 'text';
  readonly choices?: readonly string[];
  readonly pattern?: RegExp;
  /** What the pattern stands for, in words. */
  readonly expected?: string;
}

export interface IntegerOption extends OptionBase<number | ((machine: Machine) => number)> {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum?: number;
}

export interface SwitchOption extends OptionBase<boolean> {
  readonly type: 'boolean';
}

/** Items separated by commas. */
export interface ListOption extends OptionBase<readonly string[]> {
  readonly type: 'list';
}

/** An option of the server: a row of the table in `options.ts`. */
export type Option = TextOption | IntegerOption | SwitchOption | ListOption;

/** `logLevel` is `--log-level`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `logLevel` is `LOG_LEVEL`. */
export function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
