import { readFile } from 'node:fs/promises';

/**
 * Prefixes of model names with the encodings of these models, from tiktoken for Python: they cover versions of a
 * model that its table does not list. The package for JavaScript lacks them.
 */
const PREFIXES: readonly (readonly [prefix: string, encoding: string])[] = [
  ['o1-', 'o200k_base'],
  ['o3-', 'o200k_base'],
  ['o4-mini-', 'o200k_base'],
  ['gpt-5-', 'o200k_base'],
  ['gpt-4.5-', 'o200k_base'],
  ['gpt-4.1-', 'o200k_base'],
  ['chatgpt-4o-', 'o200k_base'],
  ['gpt-4o-', 'o200k_base'],
  ['gpt-4-', 'cl100k_base'],
  ['gpt-3.5-turbo-', 'cl100k_base'],
  ['gpt-35-turbo-', 'cl100k_base'],
  ['gpt-oss-', 'o200k_harmony'],
  // Fine-tuned models; longer prefixes come first.
  ['ft:gpt-4o', 'o200k_base'],
  ['ft:gpt-4', 'cl100k_base'],
  ['ft:gpt-3.5-turbo', 'cl100k_base'],
  ['ft:davinci-002', 'cl100k_base'],
  ['ft:babbage-002', 'cl100k_base'],
];

/**
 * The encoding of a model by the table of the installed tiktoken package, else by the prefix of its name; `undefined`
 * if neither knows it.
 */
export async function encodingOfModel(name: string): Promise<string | undefined> {
  const url = new URL(import.meta.resolve('tiktoken/model_to_encoding.json'));
  const table = new Map<string, string>(Object.entries(JSON.parse(await readFile(url, 'utf8'))));
  return table.get(name) ?? PREFIXES.find(([prefix]) => name.startsWith(prefix))?.[1];
}
