import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import { CodeChunker } from '@chonkiejs/core';
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import { countTokens, gptTokenizer } from '../race/peers.ts';

/** A chunker of code by others, over tokens of cl100k_base; offsets are UTF-16 code units. */
export interface CodePeer {
  /** With the version that is installed. */
  readonly name: string;
  split(text: string): Promise<readonly { readonly start: number; readonly end: number }[]>;
}

export function codePeers(language: string, chunkSize: number): CodePeer[] {
  return [langchain(language, chunkSize), chonkie(language, chunkSize)];
}

const versionOf = (name: string): string => {
  const file = join(import.meta.dirname, '../node_modules', name, 'package.json');
  return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`;
};

/** LangChain's names of languages that differ from ours. */
const NAMES: Readonly<Record<string, string>> = { typescript: 'js' };

/** The separators of LangChain for a language. Their chunks have no offsets: each is searched after the one before. */
function langchain(language: string, chunkSize: number): CodePeer {
  const name = (NAMES[language] ?? language) as Parameters<
    typeof RecursiveCharacterTextSplitter.fromLanguage
  >[0];
  const options = { chunkSize, chunkOverlap: 0, lengthFunction: countTokens };
  const splitter = RecursiveCharacterTextSplitter.fromLanguage(name, options);
  return {
    name: versionOf('@langchain/textsplitters'),
    async split(text) {
      let end = 0;
      return (await splitter.splitText(text)).map((one) => {
        const start = text.indexOf(one, end);
        if (start === -1) throw new Error(`LangChain changed what it split: ${JSON.stringify(one)}`);
        end = start + one.length;
        return { start, end };
      });
    },
  };
}

const require = createRequire(import.meta.url);
const PACK = require.resolve('@kreuzberg/tree-sitter-language-pack-wasm');

/** A new instance of the grammars that Chonkie uses, without a cache of modules that would keep the former ones. */
function loadPack(): unknown {
  const module = { exports: {} };
  const load = compileFunction(readFileSync(PACK, 'utf8'), ['module', 'exports', 'require', '__dirname']);
  load(module, module.exports, require, dirname(PACK));
  return module.exports;
}

/**
 * Chonkie's code chunker, over the WebAssembly of its grammars, which downloads nothing. A file can crash that, and all
 * files after it; it is then one chunk, and the others get a new instance.
 */
function chonkie(language: string, chunkSize: number): CodePeer {
  const load = () =>
    CodeChunker.create({
      tokenizer: gptTokenizer as never,
      chunkSize,
      language,
      backend: loadPack() as never,
    });
  let chunker: ReturnType<typeof load> | undefined;
  return {
    name: `${versionOf('@chonkiejs/core')} code`,
    async split(text) {
      chunker ??= load();
      try {
        return (await chunker).chunk(text).map(({ startIndex: start, endIndex: end }) => ({ start, end }));
      } catch (error) {
        console.error(`Chonkie: ${error}, ${text.length} characters of ${language}`);
        chunker = undefined;
        return [{ start: 0, end: text.length }];
      }
    },
  };
}
