import type { ModelFile } from '../contracts/collaborators.ts';
import type { Purpose } from '../contracts/embedding.ts';

/** What a model wants before a text, by what its vector is for; an empty string if nothing. */
export type Prompts = Readonly<Record<Purpose, string>>;

/** The file in which sentence-transformers keeps the prompts of a model. */
export const PROMPTS_FILE: ModelFile = { name: 'config_sentence_transformers.json', maxBytes: 1024 * 1024 };

/** The names under which models have each prompt; the first that is there counts. */
const NAMES: Readonly<Record<Purpose, readonly string[]>> = {
  document: ['document', 'passage', 'corpus'],
  query: ['query'],
  similarity: [],
};

/** The prompts of a parsed `config_sentence_transformers.json`; where it has none for a purpose, its default one. */
export function promptsOf(config: unknown): Prompts {
  const { prompts, default_prompt_name: standard } = fieldsOf(config);
  const texts = fieldsOf(prompts);
  const find = (purpose: Purpose) => {
    const names = typeof standard === 'string' ? [...NAMES[purpose], standard] : NAMES[purpose];
    const found = names.map((name) => texts[name]).find((text) => typeof text === 'string');
    return found === undefined ? '' : String(found);
  };
  return { document: find('document'), query: find('query'), similarity: find('similarity') };
}

/** The texts with what the model wants before them. */
export function withPrompt(texts: readonly string[], prompt: string): readonly string[] {
  return prompt === '' ? texts : texts.map((text) => prompt + text);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
