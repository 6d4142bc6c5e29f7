import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginId } from '../../../core/contracts/manifest.ts';

/** The list of cases that all clients pass; test/server/clients/README.md says what its members mean. */
const FILE = join(import.meta.dirname, 'cases.json');

export interface Case {
  readonly name: string;
  readonly needs: readonly PluginId[];
  readonly batches?: boolean;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly call: string;
  readonly args: readonly unknown[];
  readonly named?: Named;
  readonly items?: readonly Item[];
  readonly file?: CaseFile;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly proxy?: string;
  readonly requests?: number;
  readonly abort?: number;
  readonly take?: number;
  readonly save?: string;
  readonly equal?: Readonly<Record<string, unknown>>;
  readonly length?: Readonly<Record<string, number>>;
  readonly match?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly slices?: boolean;
  readonly whole?: boolean;
  readonly error?: ExpectedError;
}

interface Named extends Readonly<Record<string, unknown>> {
  readonly text?: string | readonly string[];
  readonly documents?: readonly Item[];
}

/** A document, a list of chunks, or a line of a stream. */
interface Item {
  readonly text?: string;
}

interface CaseFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text?: string;
  readonly base64?: string;
}

interface ExpectedError {
  readonly code: string;
  readonly detail: string;
  readonly status?: number | null;
  readonly requestId?: boolean;
}

/** The cases, with all that is to be repeated written out. */
export const CASES: readonly Case[] = JSON.parse(readFileSync(FILE, 'utf8'), (_, value) => {
  if (typeof value?.times !== 'number') return value;
  return typeof value.repeat === 'string'
    ? value.repeat.repeat(value.times)
    : Array(value.times).fill(value.repeat);
}).cases;

/** Puts parts of saved answers where `{"$": "job.id"}` asks for them. */
export function filled<T>(value: T, saved: Readonly<Record<string, unknown>>): T {
  if (Array.isArray(value)) return value.map((one) => filled(one, saved)) as T;
  if (typeof value !== 'object' || value === null) return value;
  if ('$' in value) return at(saved, String(value.$)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, saved)])) as T;
}

/** What stands at a path such as `0.chunks.1`; the empty path is all of it. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((name) => name !== '')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}

/** The texts that the lists of chunks of an answer were cut from. */
export function textsOf({ named = {}, items, file }: Step): readonly (string | undefined)[] {
  if (file !== undefined) return [file.text];
  if (items !== undefined) return items.map(({ text }) => text);
  if (named.documents !== undefined) return named.documents.map(({ text }) => text);
  return typeof named.text === 'object' ? named.text : [named.text];
}
