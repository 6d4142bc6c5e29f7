import { isHtml } from './content.ts';
import LINGUIST from './linguist.json' with { type: 'json' };
import type { Content } from './manifest.ts';

export const ENDINGS: Readonly<Record<Exclude<Content, 'recursive' | 'lines'>, string>> = {
  markdown: 'md markdown mdown mkd mdx qmd rmd',
  markup:
    'rst rest adoc asciidoc asc org tex latex ltx bib mediawiki wiki wikitext textile pod texi texinfo txi roff',
  html: 'html htm xhtml xht',
  xml: `xml xsd xsl xslt svg rss atom csproj vbproj fsproj props targets xaml axaml resx ui qrc xliff xlf tmx dita ditamap
    tei jats nxml gpx kml opml wsdl pom storyboard xib mml dbk docbook`,
  table: 'csv tsv tab',
  json: 'json jsonl ndjson geojson topojson webmanifest har map',
  code: `bash sh zsh c h cc cpp cxx hh hpp hxx cs css scss dart ex exs go hs java js cjs mjs jsx json5 jsonc kt kts lua
    pl pm php py pyi pyw r rb rake rs scala sc sql swift toml ts cts mts tsx yaml yml zig
    vue svelte astro erb rhtml ejs jinja jinja2 j2 njk twig liquid hbs handlebars mustache`,
  diff: 'diff patch',
  log: 'log',
  mail: 'mbx',
};

const BY_ENDING: ReadonlyMap<string, Content> = new Map(
  Object.entries(ENDINGS).flatMap(([choice, endings]) =>
    endings.split(/\s+/).map((ending) => [ending, choice as Content] as const),
  ),
);

const SAMPLE = 4096;

/** For extensions that languages share: a pattern of the less usual language, and the content of matching texts. */
const OTHERS: readonly (readonly [endings: string, sign: RegExp, content: Content | undefined])[] = [
  ['md', /^\(define_(?:insn|expand|attr|constants|split|peephole2?|mode_iterator)\b/m, 'lines'],
  ['h', /^[ \t]*(?:@(?:interface|protocol|property|class|end)\b|#import\b)/m, 'lines'],
  ['pl', /^[a-z]\w*(?:\([^()\n]{0,200}\))?[ \t]*:-|^:-[ \t]*\w/m, 'lines'],
  ['pl pm t', /^[ \t]*use v6\b|^unit (?:class|module|role)\b/m, 'lines'],
  ['r', /^REBOL\b/im, 'lines'],
  ['cs', /^!\w[\w ]* methodsFor:|^\w+ subclass: #/m, 'lines'],
  ['ex', /^(?:with|without|include|atom|sequence|procedure|end procedure)\b/m, 'lines'],
  ['hh php', /^<\?hh\b/, 'lines'],
  ['sc', /^[ \t]*(?:SynthDef|Server\.|s\.boot|\^this|classvar)\b/m, 'lines'],
  ['asc', /^-----BEGIN PGP /m, 'lines'],
  ['srt vtt', /-->/, undefined],
  ['rest', /^(?:###|(?:GET|POST|PUT|PATCH|DELETE) \S)/m, 'lines'],
];

/** The start of XML. The extensions of some XML formats also belong to other languages. */
const MARKED = /^\s*<[?!a-z]/i;

/** Patterns that distinguish languages with the same extension. The keys are contents or names of grammars. */
const SIGNS: Readonly<Partial<Record<string, RegExp>>> = {
  markup:
    /^[ \t]*\\(?:documentclass|NeedsTeXFormat|Provides|RequirePackage|LoadClass|section|begin|def|newcommand)|^[.'][A-Za-z]{1,3}\b|^[.']\\"|^=(?:head\d|pod)\b/m,
  xml: MARKED,
  code: /^(?:#!|<\?php\b|use (?:strict|warnings|v?5|Test::))/m,
  toml: /^\[[^[\]\n]+\][ \t]*\r?$/m,
};

export function ruleByName(filename: string, text: string): LanguageRule | undefined {
  const name = (filename.split(/[/\\]/).at(-1) as string).toLowerCase();
  const head = text.slice(0, SAMPLE);
  const dot = name.lastIndexOf('.');
  const ending = dot === -1 ? '' : name.slice(dot + 1);
  const other = OTHERS.find(([endings, sign]) => endings.split(' ').includes(ending) && sign.test(head));
  if (other !== undefined) return { content: other[2] };
  const byWholeName = namesOfLinguist().get(`/${name}`);
  if (byWholeName !== undefined) return amongRules(byWholeName, head);
  const known = ending === '' ? undefined : BY_ENDING.get(ending);
  if (known !== undefined) return { content: known };
  for (let at = name.indexOf('.'); at !== -1; at = name.indexOf('.', at + 1)) {
    const languages = namesOfLinguist().get(name.slice(at));
    if (languages !== undefined) return amongRules(languages, head);
  }
  const variant = namesOfLinguist().get(`/${name.split('.', 1)[0]}`);
  return variant === undefined ? undefined : amongRules(variant, head);
}

export function ruleByProgram(text: string): LanguageRule | undefined {
  const [, path = '', argument = ''] = /^#!\s*(\S+)(?:\s+(?:-\S+\s+)*(\S+))?/.exec(text.slice(0, 256)) ?? [];
  const program = (path.endsWith('/env') ? argument : path).split('/').at(-1) as string;
  const languages = namesOfLinguist().get(`#!${program.toLowerCase()}`);
  return languages === undefined ? undefined : amongRules(languages, text.slice(0, SAMPLE));
}

let languages: ReadonlyMap<string, string> | undefined;

/** @param name a language name in lower case, with hyphens instead of spaces */
function ruleByLanguage(name: string): LanguageRule | undefined {
  languages ??= new Map(Object.keys(LINGUIST).map((key) => [key.toLowerCase().replaceAll(' ', '-'), key]));
  const language = languages.get(name);
  return language === undefined ? undefined : ruleOf(language);
}

/** The rule that all languages share, else the rule of the first language whose pattern matches, else `lines`. */
function amongRules(languages: readonly string[], head: string): LanguageRule | undefined {
  const rules = languages.map(ruleOf);
  const [first] = rules;
  const isSame = rules.every((rule) => rule.content === first?.content && rule.grammar === first?.grammar);
  const isShown = ({ content, grammar }: LanguageRule) =>
    (content === undefined ? MARKED : SIGNS[grammar ?? content])?.test(head) === true;
  if (languages.includes('Text')) return undefined;
  // An extension such as `.1` does not always mean a section of a Unix manual.
  if (isSame && languages.every((language) => language.startsWith('Roff')))
    return first !== undefined && isShown(first) ? first : undefined;
  if (isSame) return first;
  if (isHtml(head) && rules.some(({ content }) => content === 'html')) return { content: 'html' };
  return rules.find((rule) => rule.content !== 'lines' && isShown(rule)) ?? { content: 'lines' };
}

let byName: ReadonlyMap<string, readonly string[]> | undefined;

function namesOfLinguist(): ReadonlyMap<string, readonly string[]> {
  if (byName !== undefined) return byName;
  const names = new Map<string, string[]>();
  for (const [language, list] of Object.entries(LINGUIST)) {
    for (const name of list.split(' ')) names.set(name, [...(names.get(name) ?? []), language]);
  }
  byName = names;
  return names;
}

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

export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] as string).trim().toLowerCase();
}

export function contentByMediaType(essence: string): Content | undefined {
  if (essence === '') return undefined;
  const match = Object.entries(MEDIA_TYPES).find(([, pattern]) => pattern.test(essence));
  return match?.[0] as Content | undefined;
}

/** The rule for a media type that names a language of linguist after `x-`, such as `text/x-cmake`. */
export function ruleByLanguageIn(essence: string): LanguageRule | undefined {
  const [, name] = /^(?:text|application)\/x-(.{1,60}?)(?:-?src|-source)?$/.exec(essence) ?? [];
  return name === undefined ? undefined : ruleByLanguage(name);
}

interface LanguageRule {
  readonly content: Content | undefined;
  readonly grammar?: string | undefined;
}

/** Names of languages in linguist, by content. Texts in languages that are not listed are cut at line ends. */
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

/** Languages without a grammar of their own, and a related grammar that parses nearly all of their texts. */
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
    names
      .split(/,\s+/)
      .map((name): [string, LanguageRule] => [
        name,
        { content: content === 'by content' ? undefined : (content as Content) },
      ]),
  ),
  ...Object.entries(NEAR_KIN).map(([name, grammar]): [string, LanguageRule] => [
    name,
    { content: 'code', grammar },
  ]),
]);

function ruleOf(language: string): LanguageRule {
  return RULES.get(language) ?? LINES;
}
