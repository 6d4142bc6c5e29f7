import type { MarkdownBlock } from '../../toolkit/markdown/index.ts';

/** Characters of a fence in which its language is looked for, and longest name of one. */
const MAX_READ = 200;
const MAX_NAME = 40;

/** After the marker of a fence, or the names of the tags of Jekyll, Octopress and Hugo. */
const INFO =
  /^(?:`{3,}|~{3,}|\{%-?[ \t]*(?:highlight|codeblock)\b|\{\{[<%][ \t]*highlight\b)[ \t]*([^\r\n]*)/;
/** A word up to what tools write after it: `js{4}`, `rust,no_run`, `js:title`, `js=12`. */
const WORD = /^(?:lang(?:uage)?-)?([^\s`~{}%,:;=]+)(?=$|[\s`~{}%,:;]|=(?:\d|\s|$))/i;
/** In braces: classes (`{.python .numberLines}`), a raw format (`{=html}`), or what runs the code (`{r, echo=FALSE}`). */
const CLASS = /[\s{]\.([^\s`{}.,=]+)/g;
const FORMAT = /^\{=([\w-]+)\}/;
const ENGINE = /^\{+[ \t]*([a-z][\w+#.-]*)[ \t]*[}\s,;]/i;
/** Directives of MyST, of which some name the language after them. */
const CODE_DIRECTIVE = /^\{(?:code|code-block|code-cell|sourcecode)\}[ \t]*/;
const DIRECTIVE = /^\{[\w:.-]+\}[ \t]*\S/;
const DIRECTIVES: ReadonlySet<string> = new Set(
  `admonition attention caution danger dropdown error exercise figure hint image important include list-table math note
  proof seealso tab-item tab-set table tableofcontents tip toctree topic warning`.split(/\s+/),
);
/** Classes that say how lines are numbered. */
const NUMBERING = /^(?:number-?lines|line-?numbers|line-?anchors)$/i;

/** The language that a fence names after its marker. */
export function languageOf(text: string, { kind, inner, end }: MarkdownBlock): string | undefined {
  if (kind !== 'fence') return undefined;
  const info = INFO.exec(text.slice(inner, Math.min(end, inner + MAX_READ)))?.[1] ?? '';
  const name = info.startsWith('{') ? inBraces(info) : WORD.exec(info)?.[1];
  return name !== undefined && name.length <= MAX_NAME && /\p{L}/u.test(name) ? name : undefined;
}

function inBraces(info: string): string | undefined {
  const code = CODE_DIRECTIVE.exec(info);
  if (code !== null) return WORD.exec(info.slice(code[0].length))?.[1];
  if (DIRECTIVE.test(info)) return undefined;
  const format = FORMAT.exec(info)?.[1];
  if (format !== undefined) return format;
  const engine = ENGINE.exec(info)?.[1];
  if (engine !== undefined) return DIRECTIVES.has(engine) ? undefined : engine;
  for (const [, name] of info.slice(0, info.indexOf('}') + 1).matchAll(CLASS))
    if (name !== undefined && !NUMBERING.test(name)) return name.replace(/^language-/, '');
  return undefined;
}
