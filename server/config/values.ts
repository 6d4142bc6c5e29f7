import type { IntegerOption, Option, TextOption } from './option.ts';

/** A value of the configuration, by the type of its option. */
export interface ValueOf {
  text: string;
  integer: number;
  boolean: boolean;
  list: readonly string[];
  pairs: Readonly<Record<string, string>>;
}

/** What a text stands for, or what was expected of it instead. */
export type Parsed = { readonly value: ValueOf[keyof ValueOf] } | { readonly expected: string };

/** Reads the value of an option from the text of a flag or a variable. */
export function parseValue(option: Option, text: string): Parsed {
  switch (option.type) {
    case 'text':
      return parseText(option, text);
    case 'integer':
      return parseInteger(option, text);
    case 'boolean':
      return parseSwitch(text);
    case 'list':
      return { value: splitList(text) };
    case 'pairs':
      return parsePairs(text);
  }
}

function parseText({ choices, pattern, expected = '' }: TextOption, text: string): Parsed {
  if (pattern?.test(text) === false) return { expected };
  if (choices?.includes(text) === false) return { expected: `one of ${choices.join(', ')}` };
  return { value: text };
}

function parseInteger({ minimum, maximum = Number.MAX_SAFE_INTEGER }: IntegerOption, text: string): Parsed {
  const value = Number(text);
  const isFit = /^\d+$/.test(text) && value >= minimum && value <= maximum;
  return isFit ? { value } : { expected: `an integer from ${minimum} to ${maximum}` };
}

function parseSwitch(text: string): Parsed {
  const word = text.toLowerCase();
  if (['true', '1'].includes(word)) return { value: true };
  return ['false', '0'].includes(word) ? { value: false } : { expected: 'true or false' };
}

/** A name may not stand for two others, nor for one that stands for another itself. */
function parsePairs(text: string): Parsed {
  const pairs = splitList(text).map((item) => item.split('=').map((name) => name.trim()));
  const names = new Set(pairs.map(([name]) => name));
  const areWhole = pairs.every((pair) => pair.length === 2 && !pair.includes(''));
  if (!areWhole) return { expected: 'name=name, several of them separated by commas' };
  if (names.size < pairs.length) return { expected: 'each name once on the left' };
  if (pairs.some(([, target]) => names.has(target))) {
    return {
      expected: 'no name both on the left and on the right: an alias stands for a model, not for an alias',
    };
  }
  return { value: Object.fromEntries(pairs) };
}

/** The items of a list as flags and variables write it, separated by commas. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
