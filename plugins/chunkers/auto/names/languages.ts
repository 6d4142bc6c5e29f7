import type { Content } from '../manifest.ts';

/** How a language of linguist is cut. */
export interface LanguageRule {
  /** Undefined if the content decides. */
  readonly content: Content | undefined;
  /** The grammar of a near relative, if there is none of its own. */
  readonly grammar?: string | undefined;
}

/** Languages by their names in linguist, separated by commas. All others are cut at line ends. */
const LANGUAGES: Readonly<Partial<Record<Content | 'by content', string>>> = {
  markdown: 'Markdown, RMarkdown, MDX, mdsvex, API Blueprint',
  markup:
    'reStructuredText, AsciiDoc, Org, TeX, BibTeX, BibTeX Style, Wikitext, Textile, Pod, Texinfo, Roff, Roff Manpage',
  html: 'HTML, Ecmarkup, Bikeshed',
  xml: `XML, XML Property List, SVG, Maven POM, XPages, XSLT, Ant Build System, COLLADA, Web Ontology Language, Eagle,
    XProc`,
  table: 'CSV, TSV',
  json: 'JSON, JSON with Comments, JSONLD, OASv2-json, OASv3-json, Jupyter Notebook',
  code: `Shell, C, C++, C#, CSS, SCSS, Dart, Elixir, Go, Haskell, Java, JavaScript, JSON5, Kotlin, Lua, Perl, PHP, Python, R,
    Ruby, Rust, Scala, SQL, PLpgSQL, PLSQL, TSQL, Swift, TOML, TSX, TypeScript, YAML, OASv2-yaml, OASv3-yaml, Zig, Astro,
    Svelte, Vue, HTML+ERB, EJS, Handlebars, Mustache, Jinja, Nunjucks, Twig, Liquid, HTML+PHP, Gradle Kotlin DSL`,
  diff: 'Diff, Darcs Patch',
  mail: 'E-mail',
  recursive: 'Creole, Gemini, Muse, RDoc, Pod 6, Sweave, Vim Help File, Git Commit, Rich Text Format',
  'by content': `Text, Raw token data, SubRip Text, WebVTT, Pickle, XQuery, MTML`,
};

/** Languages without a grammar here, and the grammar that reads nearly all of their texts. */
const NEAR_KIN: Readonly<Record<string, string>> = {
  INI: 'toml',
  EditorConfig: 'toml',
  'Git Config': 'toml',
  Arduino: 'cpp',
  Cuda: 'cpp',
  Less: 'css',
  Starlark: 'python',
  'HTML+PHP': 'php',
};

const LINES: LanguageRule = { content: 'lines' };

const RULES: ReadonlyMap<string, LanguageRule> = new Map([
  ...Object.entries(LANGUAGES).flatMap(([content, names]) =>
    names.split(/,\s+/).map((name): [string, LanguageRule] => {
      return [name, { content: content === 'by content' ? undefined : (content as Content) }];
    }),
  ),
  ...Object.entries(NEAR_KIN).map(([name, grammar]): [string, LanguageRule] => {
    return [name, { content: 'code', grammar }];
  }),
]);

export function ruleOf(language: string): LanguageRule {
  return RULES.get(language) ?? LINES;
}
