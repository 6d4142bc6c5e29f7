import type { Kit } from '../../../core/kit.ts';
import { codeLines } from './content/code-lines.ts';
import { isJson } from './content/json.ts';
import { hasFence, proseOrMarkdown } from './content/markdown.ts';
import { isHtml, isHtmlTable } from './content/markup.ts';
import { isSourceCode } from './content/source-code.ts';
import { isTable } from './content/table.ts';
import { choiceByMediaType, choiceByName } from './file-names.ts';
import type { Choice } from './manifest.ts';

/** What a choice is made by. */
export interface Question {
  readonly text: string;
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
  /** Whether a text that is named JSON is taken for it although it is not valid. */
  readonly isTolerant: boolean;
  /** Whether a chunker can run here. */
  readonly isHere: (choice: Choice) => boolean;
  readonly kit: Kit;
}

/**
 * Chooses the chunker of a text: by its media type, else by the ending of its file's name, else by what it looks like.
 * What is named JSON and is not valid is source code, as which the settings of many programs pass, and what cannot run
 * here is not chosen.
 */
export function choose(question: Question): Choice {
  const { text, isTolerant, isHere } = question;
  const named = byName(question) ?? byContent(question);
  const choice = named === 'json' && !isTolerant && !isJson(text) ? 'code' : named;
  return isHere(choice) ? choice : 'recursive';
}

function byName({ mediaType, filename }: Question): Choice | undefined {
  const byType = mediaType === undefined ? undefined : choiceByMediaType(mediaType);
  return byType ?? (filename === undefined ? undefined : choiceByName(filename));
}

/** Characters from which it is judged what a text is; of JSON alone the whole is read. */
const SAMPLE = 65_536;

function byContent({ text, kit }: Question): Choice {
  if (isJson(text)) return 'json';
  const sample = wholeLines(text);
  if (isHtml(sample)) return isHtmlTable(text) ? 'table' : 'html';
  const lines = codeLines(sample);
  if (hasFence(lines)) return 'markdown';
  if (isSourceCode(sample, lines)) return 'code';
  if (isTable(sample)) return 'table';
  return proseOrMarkdown(sample, kit);
}

/** The beginning of a text, without a line that the sample would cut. */
function wholeLines(text: string): string {
  if (text.length <= SAMPLE) return text;
  const end = text.lastIndexOf('\n', SAMPLE);
  return text.slice(0, end === -1 ? SAMPLE : end + 1);
}
