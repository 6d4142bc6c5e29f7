import * as gpt from 'gpt-tokenizer/encoding/cl100k_base';

/** A splitter of another library; it returns what it knows of its chunks, under the names of our answers. */
export interface Peer {
  readonly name: string;
  split(text: string): Promise<readonly unknown[]>;
}

/** The bytes of an answer to the bytes of a request. */
export async function answerOf(peer: Peer, body: Uint8Array): Promise<Uint8Array> {
  const request = JSON.parse(Buffer.from(body).toString()) as { text: string };
  return Buffer.from(JSON.stringify(await peer.split(request.text)));
}

/** What looks like a special token is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
export const countTokens = (text: string) => gpt.countTokens(text, AS_TEXT);

/** The tokenizer interface of chonkiejs, over the fastest tokenizer among the JavaScript peers. */
export const gptTokenizer = {
  countTokens,
  encode: (text: string) => gpt.encode(text, AS_TEXT),
  decode: (ids: number[]) => gpt.decode(ids),
  decodeBatch: (batch: number[][]) => batch.map((ids) => gpt.decode(ids)),
};

interface ChonkieChunk {
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly tokenCount: number;
}

interface Chonkie {
  chunk(text: string): ChonkieChunk[] | Promise<ChonkieChunk[]>;
}

/** A chunker of chonkiejs. */
export function chonkie(name: string, chunker: Chonkie): Peer {
  return {
    name: `chonkiejs ${name}`,
    async split(text) {
      const chunks = await chunker.chunk(text);
      return chunks.map(({ text, startIndex, endIndex, tokenCount }) => ({
        text,
        start_index: startIndex,
        end_index: endIndex,
        token_count: tokenCount,
      }));
    },
  };
}
