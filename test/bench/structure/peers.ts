import { RecursiveChunker, RecursiveRules } from '@chonkiejs/core';
import { MarkdownTextSplitter } from '@langchain/textsplitters';
import { SentenceSplitter } from '@llamaindex/core/node-parser';
import { countTokens, gptTokenizer, type Peer } from '../race/peers.ts';

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

/** Splitters of Markdown, which give the texts of their chunks. @param tokenizer `character` or `cl100k_base` */
export async function markdownPeers(tokenizer: string, size: number): Promise<Peer[]> {
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
  // Its Markdown parser takes no size; this one counts tokens alone.
  const sentences = new SentenceSplitter({
    chunkSize: size,
    chunkOverlap: 0,
    tokenizer: {
      ...gptTokenizer,
      encode: (text: string) => Uint32Array.from(gptTokenizer.encode(text)),
    } as never,
  });
  return [
    ...(isCounted
      ? [{ name: 'llamaindex SentenceSplitter', split: async (text: string) => sentences.splitText(text) }]
      : []),
    { name: 'langchain MarkdownTextSplitter', split: (text) => splitter.splitText(text) },
    {
      name: 'chonkiejs, rules for Markdown',
      split: async (text) => (await chunker.chunk(text)).map((chunk) => chunk.text),
    },
  ];
}
