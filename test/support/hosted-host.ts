import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { type EmbeddingModel, type EmbeddingProvider, PURPOSES } from '../../core/contracts/embedding.ts';
import type { Collaborators } from '../../core/contracts/plugin.ts';
import type { Tokenizer, TokenizerProvider } from '../../core/contracts/tokenizer.ts';
import { collaborators } from '../../server/testing/collaborators.ts';
import { startLoopback } from './loopback.ts';
import { checkProblem } from './problems.ts';
import { type Cleanup, startServer } from './server.ts';
import { setVariables } from './variables.ts';

export const KEY = 'sk-very-secret';

export interface Asked {
  readonly url: string;
  readonly method: string;
  readonly authorization: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** What the bytes say, if they are JSON. */
  readonly body: Record<string, unknown> & { input?: string[]; texts?: string[] };
}

export type Reply = (asked: Asked, response: ServerResponse, count: number) => void;

/** A provider on loopback that records its requests and the most calls that it had at once. */
export async function startHost(t: Cleanup, reply: Reply) {
  const asked: Asked[] = [];
  const seen = { most: 0 };
  let now = 0;
  const url = await startLoopback(t, async (request, response) => {
    seen.most = Math.max(seen.most, ++now);
    response.once('close', () => now--);
    const bytes = Buffer.concat(await request.toArray());
    const { url = '', method = '', headers } = request;
    const body = headers['content-type'] === 'application/json' ? JSON.parse(bytes.toString()) : {};
    asked.push({ url, method, authorization: headers.authorization ?? '', headers, bytes, body });
    reply(asked.at(-1) as Asked, response, asked.length);
  });
  return { asked, seen, url };
}

/** Answers in the format of OpenAI, last vector first. The vector of a text is its number. */
export const inData: Reply = ({ body }, response) => {
  const data = (body.input ?? []).map((text, index) => ({ index, embedding: [Number(text), 1] }));
  setTimeout(() => send(response, 200, { data: data.reverse() }), Math.random() * 5);
};

export function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const never = new AbortController().signal;
export const tokenizers = {
  open: async () => ({ name: 'cl100k_base' }) as Tokenizer,
  names: () => [],
} satisfies TokenizerProvider;

type CreateHosted = (
  given: Collaborators & { 'tokenizer/tiktoken': TokenizerProvider },
) => EmbeddingProvider | Promise<EmbeddingProvider>;

/** Opens a model as the service does, with these variables of the environment. */
export async function openHosted(
  create: CreateHosted,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<EmbeddingModel> {
  const provider = await create({ ...collaborators({ env }), 'tokenizer/tiktoken': tokenizers });
  const model = await provider.open(name, never);
  if (model === undefined) throw new Error(`there is no ${name}`);
  return model;
}

/** Has a model embed a text for each purpose, one after the other. */
export async function embedForAll(model: EmbeddingModel): Promise<void> {
  for (const purpose of PURPOSES) await model.embed(['5'], { purpose, signal: never });
}

/** The answer of a server to a request for vectors of this model. */
export async function embedAtServer(t: Cleanup, embedding_model: string) {
  const { post } = await startServer(t);
  return post('/v1/embed', { text: '3', embedding_model });
}

export function testNeedsKey(t: Test, embedding_model: string, variable: string): void {
  t.test('without a key the answer names the variable', async (t) => {
    setVariables(t, { [variable]: undefined });
    const answer = await embedAtServer(t, embedding_model);
    checkProblem(t, answer, 500, new RegExp(`set the environment variable ${variable}`));
  });
}
