import { readFile } from 'node:fs/promises';
import {
  exposedError,
  type Factory,
  type ModelFile,
  reasonOf,
  type SharedBuffers,
} from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import { TokenList, Vocabulary } from './models/word-piece.ts';
import type { Library } from './stages/library-stages.ts';
import { createTokenizer } from './tokenizer.ts';
import { entriesOf, isRecord, parseTokenizerFile, readAddedTokens, typeOf } from './tokenizer-file.ts';

const TOKENIZER_FILE: ModelFile = {
  name: 'tokenizer.json',
  maxBytes: 100 * 1024 * 1024,
  check: async (path) => {
    const json = await readFile(path, 'utf8');
    try {
      JSON.parse(json);
    } catch (cause) {
      throw new Error('it is not JSON', { cause });
    }
  },
};

const createHuggingFaceTokenizers: Factory<typeof manifest> = ({ models, shared }) => ({
  names: () => models.names(TOKENIZER_FILE.name),
  async open(name) {
    const path = await models.find(name, TOKENIZER_FILE);
    if (path === undefined) return undefined;
    const library = (await import('@huggingface/tokenizers')) as unknown as Library;
    try {
      return createTokenizer(name, parseTokenizerFile(await readShared(name, path, shared)), library);
    } catch (cause) {
      throw exposedError(`the tokenizer.json of "${name}" cannot be used: ${reasonOf(cause)}`, cause);
    }
  },
});

/**
 * Returns the packed vocabulary in memory that all threads share; the file as JSON if it cannot be packed.
 * The first thread that needs the file reads it. The memory is kept until the process ends.
 */
async function readShared(name: string, path: string, shared: SharedBuffers): Promise<string | Vocabulary> {
  let json: string | undefined;
  const memory = await shared.get(`huggingface/${name}`, async () => {
    json = await readFile(path, 'utf8');
    return packVocabulary(json)?.memory ?? NO_VOCABULARY;
  });
  return memory.byteLength > 0 ? new Vocabulary(memory) : (json ?? readFile(path, 'utf8'));
}

const NO_VOCABULARY = new SharedArrayBuffer(0);

export default createHuggingFaceTokenizers;

/**
 * Packs the vocabulary of a `tokenizer.json` without parsing it into a large object. `rest` is the JSON with
 * an empty vocabulary. Undefined if the vocabulary is not a plain list of tokens with ids.
 */
export function packVocabulary(json: string): Vocabulary | undefined {
  try {
    return pack(json);
  } catch {
    // The caller then parses the whole file, which reports the error.
    return undefined;
  }
}

function pack(json: string): Vocabulary | undefined {
  const opening = /"vocab"\s*:\s*\{/.exec(json);
  if (opening === null) return undefined;
  const from = opening.index + opening[0].length;
  const tokens = new TokenList();
  const to = scanTokens(json, from, tokens);
  if (to === undefined) return undefined;
  const rest = json.slice(0, from) + json.slice(to);
  const file: unknown = JSON.parse(rest);
  if (!isRecord(file) || !isRecord(file.model) || typeOf(file.model) !== 'WordPiece') return undefined;
  if (!isRecord(file.model.vocab) || Object.keys(file.model.vocab).length > 0) return undefined;
  tokens.addAll(entriesOf(readAddedTokens(file.added_tokens)));
  return Vocabulary.build(tokens, Buffer.from(rest));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const BRACE = 0x7d;
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;

function scanTokens(json: string, from: number, tokens: TokenList): number | undefined {
  for (let at = from; ; at++) {
    const opening = skipSpace(json, at);
    if (json.charCodeAt(opening) !== QUOTE) return undefined;
    const closing = endOfString(json, opening);
    const colon = skipSpace(json, closing + 1);
    if (json.charCodeAt(colon) !== COLON) return undefined;
    const digits = skipSpace(json, colon + 1);
    const afterDigits = skipDigits(json, digits);
    if (afterDigits === digits) return undefined;
    addToken(json, opening, closing, Number(json.slice(digits, afterDigits)), tokens);
    at = skipSpace(json, afterDigits);
    const unit = json.charCodeAt(at);
    if (unit === BRACE) return at;
    if (unit !== COMMA) return undefined;
  }
}

function addToken(json: string, opening: number, closing: number, id: number, tokens: TokenList): void {
  let at = opening + 1;
  while (at < closing && json.charCodeAt(at) !== BACKSLASH) at++;
  if (at === closing) tokens.add(json, opening + 1, closing, id);
  else tokens.addAll([[JSON.parse(json.slice(opening, closing + 1)) as string, id]]);
}

function endOfString(json: string, opening: number): number {
  let at = opening + 1;
  for (; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) break;
    if (unit === BACKSLASH) at++;
  }
  return at;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= SPACE) at++;
  return at;
}

function skipDigits(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) >= ZERO && json.charCodeAt(at) <= NINE) at++;
  return at;
}
