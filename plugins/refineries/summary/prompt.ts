import { hash } from 'node:crypto';
import type { Window } from './windows.ts';

/** What the model is told to write the context of one chunk. */
export interface Question {
  readonly title: string;
  readonly window: Window;
  readonly instruction: string;
  readonly text: string;
}

/**
 * The prompt: the document first and the chunk last, so that the prompts of all chunks of a window begin with the same
 * text, which the server may keep read.
 */
export function promptOf({ title, window, instruction, text }: Question): string {
  const head = title === '' ? '' : `Title: ${title}\n\n`;
  const prompt = `<document>\n${head}${window.text}\n</document>\n\n${instruction}\n\n<chunk>\n${text}\n</chunk>`;
  // Half a surrogate pair has no UTF-8, and servers refuse it.
  return prompt.toWellFormed();
}

/** What tells questions apart, without their whole text. */
export function hashOf({ title, window, instruction, text }: Question): string {
  return hash('sha256', JSON.stringify([title, window.hash, instruction, text]), 'hex');
}

/** What some models write before their answer. */
const REASONING = /^\s*<think>[\s\S]*?<\/think>/;

/**
 * The answer in a completion of OpenAI's protocol, without the model's reasoning.
 *
 * @throws Error if there is none
 */
export function readCompletion(answer: unknown): string {
  const { choices } = answer as { readonly choices?: readonly { readonly message?: unknown }[] };
  const { content } = (choices?.[0]?.message ?? {}) as { readonly content?: unknown };
  if (typeof content !== 'string') throw new Error('its first choice has no message with content');
  const text = content.replace(REASONING, '').trim();
  if (text === '' || text.startsWith('<think>')) throw new Error('it is empty, max_tokens may be too few');
  return text;
}
