import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import { countTokens } from '../race/peers.ts';

/** LangChain's names of languages that differ from ours. */
const NAMES: Readonly<Record<string, string>> = { typescript: 'js' };

/** The separators of LangChain for a language, over tokens of cl100k_base: gives the texts of chunks. */
export function langchainCode(language: string, chunkSize: number): (text: string) => Promise<string[]> {
  const name = (NAMES[language] ?? language) as Parameters<
    typeof RecursiveCharacterTextSplitter.fromLanguage
  >[0];
  const options = { chunkSize, chunkOverlap: 0, lengthFunction: countTokens };
  const splitter = RecursiveCharacterTextSplitter.fromLanguage(name, options);
  return (text) => splitter.splitText(text);
}
