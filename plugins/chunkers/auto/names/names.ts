import { isHtml } from '../content/markup.ts';
import type { Content } from '../manifest.ts';
import { type LanguageRule, ruleOf } from './languages.ts';
import LINGUIST from './linguist.json' with { type: 'json' };

/** The endings of file names for which a chunker is chosen. */
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
  mail: 'mbox mbx eml',
};

const BY_ENDING: ReadonlyMap<string, Content> = new Map(
  Object.entries(ENDINGS).flatMap(([choice, endings]) =>
    endings.split(/\s+/).map((ending) => [ending, choice as Content] as const),
  ),
);

/** Characters in which signs of a language are searched. */
const SAMPLE = 4096;

/** Texts of other languages under names that say something: what they show, and how they are cut. */
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

/** The beginning of XML, which many formats share an extension with. */
const MARKED = /^\s*<[?!a-z]/i;

/** Signs that distinguish languages with the same extension: for grammars, and for contents. */
const SIGNS: Readonly<Partial<Record<string, RegExp>>> = {
  markup:
    /^[ \t]*\\(?:documentclass|NeedsTeXFormat|Provides|RequirePackage|LoadClass|section|begin|def|newcommand)|^[.'][A-Za-z]{1,3}\b|^[.']\\"|^=(?:head\d|pod)\b/m,
  xml: MARKED,
  code: /^(?:#!|<\?php\b|use (?:strict|warnings|v?5|Test::))/m,
  toml: /^\[[^[\]\n]+\][ \t]*\r?$/m,
};

/** How a text of that name is cut; undefined if its name does not tell. */
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
  // A variant, such as `Dockerfile.dev`.
  const variant = namesOfLinguist().get(`/${name.split('.', 1)[0]}`);
  return variant === undefined ? undefined : amongRules(variant, head);
}

/** How a script is cut that begins with `#!` and a program; undefined if none of a known language is named. */
export function ruleByProgram(text: string): LanguageRule | undefined {
  const [, path = '', argument = ''] = /^#!\s*(\S+)(?:\s+(?:-\S+\s+)*(\S+))?/.exec(text.slice(0, 256)) ?? [];
  const program = (path.endsWith('/env') ? argument : path).split('/').at(-1) as string;
  const languages = namesOfLinguist().get(`#!${program.toLowerCase()}`);
  return languages === undefined ? undefined : amongRules(languages, text.slice(0, SAMPLE));
}

/** How a text of a language is cut that a media type such as `text/x-cmake` names. */
export function ruleByLanguage(name: string): LanguageRule | undefined {
  const language = languageNames().get(name.toLowerCase());
  return language === undefined ? undefined : ruleOf(language);
}

/** The rule that several languages share, or that of the only one that the text shows; else lines are cut. */
function amongRules(languages: readonly string[], head: string): LanguageRule | undefined {
  const rules = languages.map(ruleOf);
  const [first] = rules;
  const isSame = rules.every((rule) => rule.content === first?.content && rule.grammar === first?.grammar);
  const isShown = ({ content, grammar }: LanguageRule) =>
    (content === undefined ? MARKED : SIGNS[grammar ?? content])?.test(head) === true;
  if (languages.includes('Text')) return undefined;
  // A number, as in `ls.1`, is not only the section of a manual.
  if (isSame && languages.every((language) => language.startsWith('Roff')))
    return first !== undefined && isShown(first) ? first : undefined;
  if (isSame) return first;
  if (isHtml(head) && rules.some(({ content }) => content === 'html')) return { content: 'html' };
  return rules.find((rule) => rule.content !== 'lines' && isShown(rule)) ?? { content: 'lines' };
}

let byName: ReadonlyMap<string, readonly string[]> | undefined;

/** The languages of each extension, `/name` and `#!program`. */
function namesOfLinguist(): ReadonlyMap<string, readonly string[]> {
  if (byName !== undefined) return byName;
  const found = new Map<string, string[]>();
  for (const [language, names] of Object.entries(LINGUIST)) {
    for (const name of names.split(' ')) found.set(name, [...(found.get(name) ?? []), language]);
  }
  byName = found;
  return found;
}

let languages: ReadonlyMap<string, string> | undefined;

function languageNames(): ReadonlyMap<string, string> {
  languages ??= new Map(
    Object.keys(LINGUIST).map((name) => [name.toLowerCase().replaceAll(' ', '-'), name] as const),
  );
  return languages;
}
