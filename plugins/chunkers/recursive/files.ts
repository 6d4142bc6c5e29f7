import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateCheck } from '../../../core/contracts/collaborators.ts';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';

/** What a file holds, or a sentence that names the file, the place in it and what to change. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** What a reader makes of a file's JSON. */
type Parsed<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Reads JSON files of one folder; whatever is wrong with one is its result. */
export interface FileReader {
  /** @param file its path in the folder, with `/` */
  read<T>(file: string, parse: (json: unknown) => Parsed<T>): Read<T>;
  check(schema: ObjectSchema, value: unknown, place?: string): string[];
}

export function createFileReader(
  folder: string,
  { createCheck }: { readonly createCheck: CreateCheck },
): FileReader {
  return {
    read(file, parse) {
      const json = readJson(folder, file);
      if ('problem' in json) return json;
      const parsed = parse(json.value);
      return 'value' in parsed ? parsed : { problem: `${file}: ${parsed.problems.join('; ')}` };
    },
    check: (schema, value, place) => [...createCheck(schema)(value, place)],
  };
}

function readJson(folder: string, file: string): Read<unknown> {
  let text: string;
  try {
    text = readFileSync(join(folder, file), 'utf8');
  } catch (error) {
    return { problem: `${file}: it cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  const reason = reasonAgainst(text);
  if (reason === undefined) return { value: JSON.parse(text) };
  const lines = text.slice(0, firstBroken(text)).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  return { problem: `${file}, ${place}: this is not valid JSON, ${reason.replace(/ in JSON at .*/, '')}` };
}

/** Why a text is no JSON. */
function reasonAgainst(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Where a text stops being the beginning of a JSON value. V8 does not say it for every error, so it is sought. */
function firstBroken(text: string): number {
  let good = 0;
  let broken = text.length + 1;
  while (broken - good > 1) {
    const middle = (good + broken) >>> 1;
    if (canGoOn(text.slice(0, middle))) good = middle;
    else broken = middle;
  }
  return good;
}

function canGoOn(beginning: string): boolean {
  const reason = reasonAgainst(beginning);
  if (reason === undefined || reason.includes('end of JSON input')) return true;
  const position = /at position (\d+)/.exec(reason)?.[1];
  return reason.startsWith('Unterminated') || Number(position ?? -1) >= beginning.length;
}
