import { markupSyntaxOf, templateKindOf } from '../../toolkit/markup/index.ts';
import {
  codeLines,
  hasNamespace,
  hasTags,
  isDiff,
  isHtml,
  isHtmlTable,
  isLog,
  isSourceCode,
  isTable,
  isXml,
  proseOrMarkdown,
} from './content.ts';
import type { Choice, Content } from './manifest.ts';
import { contentByMediaType, essenceOf, ruleByLanguageIn, ruleByName, ruleByProgram } from './names.ts';

export interface Question {
  readonly text: string;
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
  /** Whether invalid JSON still counts as JSON if its file name or media type says so. If not, it counts as code. */
  readonly isTolerant: boolean;
  readonly isHere: (choice: Choice) => boolean;
}

/**
 * Chooses the chunker or recipe for a text: by the media type, otherwise by the file name, otherwise by the content. A
 * language without a grammar gets the recipe `lines`. JSON Lines counts as JSON. A chunker that is not available here
 * is replaced by `recursive`. A leading byte order mark is ignored.
 */
export function choose(question: Question): Content {
  const text = question.text.charCodeAt(0) === MARK ? question.text.slice(1) : question.text;
  const { isTolerant, isHere } = question;
  const content = byName(question, text) ?? byContent(text);
  if (content === 'diff' || content === 'lines' || content === 'mail') return content;
  if (content === 'log' && !isJson(text)) return content;
  const named = content === 'log' ? 'json' : content;
  const choice = named === 'json' && !isTolerant && !isJson(text) ? 'code' : named;
  return isHere(choice) ? choice : 'recursive';
}

const MARK = 0xfeff;

function byName({ filename = '', mediaType = '' }: Question, text: string): Content | undefined {
  const essence = essenceOf(mediaType);
  const content =
    contentByMediaType(essence) ??
    (ruleByName(filename, text) ?? ruleByLanguageIn(essence) ?? ruleByProgram(text))?.content;
  const head = text.slice(0, SAMPLE);
  const isUnnamed = content === undefined && hasNamespace(head);
  if (content !== 'html' && (isUnnamed || isXml(head, filename))) return 'xml';
  return content === 'xml' && !hasTags(head) ? undefined : content;
}

const SAMPLE = 65_536;

function byContent(text: string): Content {
  if (isJson(text)) return 'json';
  const sample = wholeLines(text);
  if (markupSyntaxOf(sample) !== undefined) return 'markup';
  const { lines, hasFence } = codeLines(sample);
  if (!hasFence && templateKindOf(sample) !== undefined) return 'code';
  if (isHtml(sample)) return isHtmlTable(text) ? 'table' : 'html';
  if (isDiff(sample)) return 'diff';
  if (hasFence) return 'markdown';
  if (isLog(sample)) return 'log';
  if (isSourceCode(sample, lines)) return 'code';
  if (isTable(sample)) return 'table';
  return proseOrMarkdown(sample);
}

function wholeLines(text: string): string {
  if (text.length <= SAMPLE) return text;
  const end = text.lastIndexOf('\n', SAMPLE);
  return text.slice(0, end === -1 ? SAMPLE : end + 1);
}

function isJson(text: string): boolean {
  const [first] = /\S/.exec(text) ?? [];
  if (first !== '{' && first !== '[') return false;
  return parses(text) || isJsonLines(text);
}

function isJsonLines(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => /^\s*[{[]/.test(line) && parses(line));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
