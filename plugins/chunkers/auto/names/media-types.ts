import type { Content } from '../manifest.ts';
import type { LanguageRule } from './languages.ts';
import { ruleByLanguage } from './names.ts';

const MEDIA_TYPES: Readonly<Record<Exclude<Content, 'recursive' | 'lines'>, RegExp>> = {
  markdown: /^text\/(x-)?markdown$/,
  markup:
    /^(text|application)\/(x-|prs\.fallenstein\.)?(rst|restructuredtext|asciidoc|org|(la)?tex|bibtex|(media)?wiki|(web-)?textile|pod|texinfo|(t|n)?roff(-m[aes]n?)?|man|mdoc)$/,
  html: /^(text\/html|application\/xhtml\+xml)$/,
  xml: /^((text|application)\/xml|[^/]+\/[^/]+\+xml)$/,
  table: /^text\/(csv|tab-separated-values)$/,
  json: /^application\/(.*\+)?(json|x-ndjson|jsonl|json-seq)$/,
  code: /^(text|application)\/(x-)?(c|c\+\+|csharp|css|dart|ecmascript|elixir|go|haskell|java|javascript|kotlin|lua|perl|php|httpd-php|python|ruby|rust|scala|script\.python|sh|shellscript|sql|swift|toml|typescript|yaml|zig)(src)?$/,
  diff: /^text\/(x-)?(diff|patch)$/,
  log: /^text\/x-log$/,
  mail: /^(message\/rfc822|application\/mbox)$/,
};

/** A media type in lower case without parameters. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] as string).trim().toLowerCase();
}

/** How a text of that media type is cut; undefined if the type does not tell. */
export function contentByMediaType(essence: string): Content | undefined {
  if (essence === '') return undefined;
  const found = Object.entries(MEDIA_TYPES).find(([, pattern]) => pattern.test(essence));
  return found?.[0] as Content | undefined;
}

/** How a text is cut whose media type names a language of linguist after `x-`: `text/x-cmake`. */
export function ruleByLanguageIn(essence: string): LanguageRule | undefined {
  const [, name] = /^(?:text|application)\/x-(.{1,60}?)(?:-?src|-source)?$/.exec(essence) ?? [];
  return name === undefined ? undefined : ruleByLanguage(name);
}
