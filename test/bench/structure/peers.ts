import { RecursiveChunker, RecursiveRules } from '@chonkiejs/core';
import { MarkdownTextSplitter } from '@langchain/textsplitters';
import * as gpt from 'gpt-tokenizer/encoding/cl100k_base';

/** A splitter of Markdown of another library; it returns the texts of its chunks. */
export interface MarkdownPeer {
  readonly name: string;
  split(text: string): Promise<readonly string[]>;
}

/** The rules for Markdown that Chonkie's documentation gives. */
const RULES = {
  levels: [
    { delimiters: ['\n# ', '\n## ', '\n### ', '\n#### ', '\n##### ', '\n###### '], includeDelim: 'next' },
    { delimiters: ['\n\n', '\n', '\r\n', '\r'] },
    { delimiters: ['. ', '! ', '? '] },
    { whitespace: true },
    {},
  ],
};

/** What looks like a special token is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
const countTokens = (text: string) => gpt.countTokens(text, AS_TEXT);

const gptTokenizer = {
  countTokens,
  encode: (text: string) => gpt.encode(text, AS_TEXT),
  decode: (ids: number[]) => gpt.decode(ids),
  decodeBatch: (batch: number[][]) => batch.map((ids) => gpt.decode(ids)),
};

/** @param tokenizer `character` or `cl100k_base` */
export async function markdownPeers(tokenizer: string, size: number): Promise<MarkdownPeer[]> {
  const isCounted = tokenizer !== 'character';
  const splitter = new MarkdownTextSplitter({
    chunkSize: size,
    chunkOverlap: 0,
    ...(isCounted ? { lengthFunction: countTokens } : {}),
  });
  const chunker = await RecursiveChunker.create({
    chunkSize: size,
    rules: new RecursiveRules(RULES as never),
    ...(isCounted ? { tokenizer: gptTokenizer as never } : {}),
  });
  return [
    { name: 'langchain MarkdownTextSplitter', split: (text) => splitter.splitText(text) },
    {
      name: 'chonkiejs, rules for Markdown',
      split: async (text) => (await chunker.chunk(text)).map((chunk) => chunk.text),
    },
  ];
}
