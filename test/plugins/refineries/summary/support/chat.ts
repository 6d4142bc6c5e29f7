import type { Test } from 'tap';
import { type Asked, KEY, type Reply, send, startHost } from '../../../../support/hosted-host.ts';

export const MODEL = 'small-model';

/** The prompt of a call. */
export function promptOf({ body }: Asked): string {
  const [message] = body.messages as readonly { readonly content: string }[];
  return message?.content ?? '';
}

/** The chunk that a call is about, which stands last in its prompt. */
export function chunkOf(asked: Asked): string {
  const prompt = promptOf(asked);
  return prompt.slice(prompt.lastIndexOf('<chunk>\n') + 8, -'\n</chunk>'.length);
}

/** What stands before the instruction. */
export function prefixOf(asked: Asked): string {
  const prompt = promptOf(asked);
  return prompt.slice(0, prompt.indexOf('</document>'));
}

/** Answers as OpenAI's chat completions do. */
export function complete(response: Parameters<typeof send>[0], content: unknown): void {
  send(response, 200, {
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  });
}

/** Answers with the chunk in brackets, a moment later. */
export const inBrackets: Reply = (asked, response) => {
  setTimeout(() => complete(response, ` <${chunkOf(asked)}>\n`), Math.random() * 5);
};

/** A server that speaks the protocol of chat completions, and the variables that make it the one that is asked. */
export async function startChat(t: Test, reply: Reply = inBrackets) {
  const host = await startHost(t, reply);
  const env = { CHAT_BASE_URL: `${host.url}/v1/`, CHAT_API_KEY: KEY, CHAT_MODEL: MODEL };
  return { ...host, env };
}
