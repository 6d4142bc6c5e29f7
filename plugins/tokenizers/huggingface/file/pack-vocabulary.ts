import { TokenList, Vocabulary } from '../models/vocabulary.ts';
import { isRecord } from './special-tokens.ts';
import { entriesOf, readAddedTokens, typeOf } from './tokenizer-file.ts';

/**
 * Takes the vocabulary out of a `tokenizer.json`, without an object of 60,000 members between them; `rest` is the JSON
 * with an empty vocabulary. Returns undefined if the vocabulary is not a plain list of tokens with ids.
 */
export function packVocabulary(json: string): Vocabulary | undefined {
  try {
    return pack(json);
  } catch {
    // Whoever parses the whole file says what is wrong with it.
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
  // Elsewhere in the file it would be some other object.
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
const [ZERO, NINE] = [0x30, 0x39];

/** Reads the members of an object from `from` on, and returns where its brace is; undefined if they are anything else. */
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

/** Adds the token of a string literal. */
function addToken(json: string, opening: number, closing: number, id: number, tokens: TokenList): void {
  let at = opening + 1;
  while (at < closing && json.charCodeAt(at) !== BACKSLASH) at++;
  if (at === closing) tokens.add(json, opening + 1, closing, id);
  else tokens.addAll([[JSON.parse(json.slice(opening, closing + 1)) as string, id]]);
}

/** The closing quote of a string literal. */
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
