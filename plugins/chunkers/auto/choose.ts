import type { Kit } from '../../../core/kit.ts';
import { isHtml, isHtmlTable, proseOrMarkdown } from './content/markup.ts';
import { isDiff, isLog } from './content/records.ts';
import { codeLines, isSourceCode } from './content/source-code.ts';
import { isTable } from './content/table.ts';
import type { Choice } from './manifest.ts';

/** The recipes of `recursive` that are for a format. */
export type Recipe = 'diff' | 'log' | 'mail';

/** What a text is: what one of the chunkers is for, or one of the recipes of `recursive`. */
export type Content = Choice | Recipe;

/** What a choice is based on. */
export interface Question {
  readonly text: string;
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
  /** Whether a text named as JSON is chunked as JSON although it is invalid. */
  readonly isTolerant: boolean;
  /** Whether a chunker can run here. */
  readonly isHere: (choice: Choice) => boolean;
  readonly kit: Kit;
}

/**
 * Chooses the chunker or the recipe of a text: by its media type, else by its file extension, else by its content.
 * Invalid JSON counts as source code, like the settings of many programs, a log in JSON Lines as JSON, and chunkers that
 * cannot run here are not chosen.
 */
export function choose(asked: Question): Content {
  const question = { ...asked, text: asked.text.replace(BYTE_ORDER_MARK, '') };
  const { text, filename = '', mediaType = '', isTolerant, isHere } = question;
  const found = choiceByMediaType(mediaType) ?? choiceByName(filename) ?? byContent(question);
  if (found === 'diff' || found === 'mail' || (found === 'log' && !isJson(text))) return found;
  const named = found === 'log' ? 'json' : found;
  const choice = named === 'json' && !isTolerant && !isJson(text) ? 'code' : named;
  return isHere(choice) ? choice : 'recursive';
}

const BYTE_ORDER_MARK = /^\ufeff/;

/** Characters from which the format of a text is judged; for JSON the whole text is read. */
const SAMPLE = 65_536;

function byContent({ text, kit }: Question): Content {
  if (isJson(text)) return 'json';
  const sample = wholeLines(text);
  const { lines, hasFence } = codeLines(sample);
  if (!hasFence && kit.templateKindOf(sample) !== undefined) return 'code';
  if (isHtml(sample)) return isHtmlTable(text) ? 'table' : 'html';
  if (isDiff(sample, kit)) return 'diff';
  if (hasFence) return 'markdown';
  if (isLog(sample, kit)) return 'log';
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

/** The endings of file names for which a chunker is chosen. */
export const ENDINGS: Readonly<Record<Exclude<Content, 'recursive'>, string>> = {
  markdown: 'md markdown mdown mkd mdx qmd rmd',
  html: 'html htm xhtml xht',
  table: 'csv tsv tab',
  json: 'json jsonl ndjson geojson topojson webmanifest har map',
  code: `bash sh zsh c h cc cpp cxx hh hpp hxx cs css scss dart ex exs go hs java js cjs mjs jsx json5 jsonc kt kts lua
    pl pm php py pyi pyw r rb rake rs scala sc sql swift toml ts cts mts tsx yaml yml zig
    vue svelte astro erb rhtml ejs jinja jinja2 j2 njk twig liquid hbs handlebars mustache`,
  diff: 'diff patch',
  log: 'log',
  mail: 'mbox mbx eml',
};

const MEDIA_TYPES: Readonly<Record<Exclude<Content, 'recursive'>, RegExp>> = {
  markdown: /^text\/(x-)?markdown$/,
  html: /^(text\/html|application\/xhtml\+xml)$/,
  table: /^text\/(csv|tab-separated-values)$/,
  json: /^application\/(.*\+)?(json|x-ndjson|jsonl|json-seq)$/,
  code: /^(text|application)\/(x-)?(c|c\+\+|csharp|css|dart|ecmascript|elixir|go|haskell|java|javascript|kotlin|lua|perl|php|httpd-php|python|ruby|rust|scala|script\.python|sh|shellscript|sql|swift|toml|typescript|yaml|zig)(src)?$/,
  diff: /^text\/(x-)?(diff|patch)$/,
  log: /^text\/x-log$/,
  mail: /^(message\/rfc822|application\/mbox)$/,
};

const BY_ENDING: ReadonlyMap<string, Content> = new Map(
  Object.entries(ENDINGS).flatMap(([choice, endings]) =>
    endings.split(/\s+/).map((ending) => [ending, choice as Content] as const),
  ),
);

/** The content of a file with that name; `undefined` if the name does not tell. */
function choiceByName(filename: string): Content | undefined {
  const [, ending] = /\.([^./\\]+)$/.exec(filename) ?? [];
  return BY_ENDING.get((ending ?? '').toLowerCase());
}

/** The content for that media type; `undefined` if the type does not tell. */
function choiceByMediaType(mediaType: string): Content | undefined {
  if (mediaType === '') return undefined;
  const found = Object.entries(MEDIA_TYPES).find(([, pattern]) => pattern.test(mediaType));
  return found?.[0] as Content | undefined;
}

/** Whether a text is a JSON object or array, or JSON Lines of these. Linear. */
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
