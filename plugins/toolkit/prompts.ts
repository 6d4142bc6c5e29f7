import type { ModelFile } from '../../core/contracts/collaborators.ts';
import type { Purpose } from '../../core/contracts/embedding.ts';

/** The prefix that a model expects before a text, by the purpose of the vector; empty if it expects none. */
export type Prompts = Readonly<Record<Purpose, string>>;

export const PROMPTS_FILE: ModelFile = { name: 'config_sentence_transformers.json', maxBytes: 1024 * 1024 };

const NAMES: Readonly<Record<Purpose, readonly string[]>> = {
  document: ['document', 'passage', 'corpus'],
  query: ['query'],
  similarity: [],
};

/** Reads the prompts of a `config_sentence_transformers.json`. A purpose without a prompt has the default prompt. */
export function promptsOf(config: unknown): Prompts {
  const { prompts, default_prompt_name: standard } = fieldsOf(config);
  const texts = fieldsOf(prompts);
  const find = (purpose: Purpose) => {
    const names = typeof standard === 'string' ? [...NAMES[purpose], standard] : NAMES[purpose];
    const prompt = names.map((name) => texts[name]).find((text) => typeof text === 'string');
    return prompt === undefined ? '' : String(prompt);
  };
  return { document: find('document'), query: find('query'), similarity: find('similarity') };
}

export function withPrompt(texts: readonly string[], prompt: string): readonly string[] {
  return prompt === '' ? texts : texts.map((text) => prompt + text);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
