import type { Choice } from './manifest.ts';

const ENDINGS: Readonly<Record<Exclude<Choice, 'recursive'>, string>> = {
  markdown: 'md markdown mdown mkd mdx qmd rmd',
  html: 'html htm xhtml xht',
  table: 'csv tsv tab',
  json: 'json jsonl ndjson geojson topojson webmanifest ipynb har map',
  code: `bash sh zsh c h cc cpp cxx hh hpp hxx cs css scss dart ex exs go hs java js cjs mjs jsx json5 jsonc kt kts lua
    pl pm php py pyi pyw r rb rake rs scala sc sql swift toml ts cts mts tsx yaml yml zig`,
};

const MEDIA_TYPES: Readonly<Record<Exclude<Choice, 'recursive'>, RegExp>> = {
  markdown: /^text\/(x-)?markdown$/,
  html: /^(text\/html|application\/xhtml\+xml)$/,
  table: /^text\/(csv|tab-separated-values)$/,
  json: /^application\/(.*\+)?(json|x-ndjson|jsonl|json-seq)$/,
  code: /^(text|application)\/(x-)?(c|c\+\+|csharp|css|dart|ecmascript|elixir|go|haskell|java|javascript|kotlin|lua|perl|php|httpd-php|python|ruby|rust|scala|script\.python|sh|shellscript|sql|swift|toml|typescript|yaml|zig)(src)?$/,
};

const BY_ENDING: ReadonlyMap<string, Choice> = new Map(
  Object.entries(ENDINGS).flatMap(([choice, endings]) =>
    endings.split(/\s+/).map((ending) => [ending, choice as Choice] as const),
  ),
);

/** What a file of that name holds; `undefined` if the name does not say. */
export function choiceByName(filename: string): Choice | undefined {
  const [, ending] = /\.([^./\\]+)$/.exec(filename) ?? [];
  return BY_ENDING.get((ending ?? '').toLowerCase());
}

/** What a text of that media type is; `undefined` if the type does not say. */
export function choiceByMediaType(mediaType: string): Choice | undefined {
  const found = Object.entries(MEDIA_TYPES).find(([, pattern]) => pattern.test(mediaType));
  return found?.[0] as Choice | undefined;
}
