import { decodeReferences } from '../../../toolkit/markup/index.ts';
import type { LineSyntax, LineTitle } from './by-lines.ts';

const WIKI_TITLE = /^(={1,6})([^=].*)$/;
const TAGGED = /^[ \t]*<(nowiki|pre|syntaxhighlight|source|math|score)\b[^>]*(?<!\/)>/i;

function wikiTitle(content: string): LineTitle | undefined {
  const [, marks, rest] = WIKI_TITLE.exec(content) ?? [];
  if (marks === undefined || rest === undefined) return undefined;
  const line = rest.includes('<!--') ? rest.replace(/(?:\s*<!--[^>]*-->)+\s*$/, '') : rest;
  if (!line.endsWith(marks)) return undefined;
  const words = line.slice(0, line.length - marks.length).trim();
  return words === '' ? undefined : { level: marks.length, words };
}

export const MEDIAWIKI: LineSyntax = {
  title: wikiTitle,
  raw: [
    {
      kind: 'code',
      opening: TAGGED,
      ends: (line, [, name = '']) => line.toLowerCase().includes(`</${name.toLowerCase()}>`),
    },
    { kind: 'comment', opening: /^[ \t]*<!--/, ends: (line) => line.includes('-->') },
    { kind: 'table', opening: /^[ \t]*\{\|/, ends: (line) => /^[ \t]*\|\}/.test(line) },
    { kind: 'block', opening: /^\{\{[^{}]*$/, ends: (line) => /^[^{]*\}\}/.test(line) },
  ],
  kinds: [
    ['list', /^[*#;:]/],
    ['break', /^-{4,}/],
    ['metadata', /^(?:#REDIRECT|__\w+__)/i],
  ],
  plain: plainWiki,
};

function plainWiki(title: string): string {
  const plain = title
    .replace(/<!--[\s\S]*?-->|<ref\b[^<]*(?:<\/ref>|\/>)|<\/?[a-z][^<>]*>/gi, '')
    .replace(/\{\{[^{}]*\}\}/g, '')
    .replace(/\[\[(?:[^[\]|]*\|)?([^[\]]*)\]\]/g, '$1')
    .replace(/\[(?:https?:|\/\/)[^\s\]]+ ([^\]]+)\]/g, '$1')
    .replace(/'{5}|'{3}|''/g, '');
  return decodeReferences(plain);
}

const SIGNATURE = /^(?:h[1-6]|p|bq|bc|pre|notextile|fn\d+|table|###)(?:[([{<>=_*#-][^ ]*)?\.{1,2}(?: |$)/;
const TEXTILE_TITLE = /^h([1-6])(?:[([{<>=]\S{0,100})?\. +(\S.*)$/;

export const TEXTILE: LineSyntax = {
  title: (content) => {
    const [, level, words] = TEXTILE_TITLE.exec(content) ?? [];
    return words === undefined ? undefined : { level: Number(level), words };
  },
  raw: [
    {
      kind: 'code',
      opening: /^(?:bc|pre|notextile)[^ ]*\.\. /,
      ends: (line) => SIGNATURE.test(line),
      isOpen: true,
    },
    {
      kind: 'code',
      opening: /^[ \t]*<(pre|code|notextile)\b[^>]*>/,
      ends: (line, [, name]) => line.includes(`</${name}>`),
    },
    { kind: 'comment', opening: /^[ \t]*<!--/, ends: (line) => line.includes('-->') },
  ],
  kinds: [
    ['list', /^(?:[*#]+|-) /],
    ['table', /^(?:table.*\. *$|\|)/],
    ['code', /^(?:bc|pre|notextile)[^ .]*\. /],
    ['quote', /^bq[^ .]*\. /],
    ['comment', /^###\. /],
  ],
  plain: (title) =>
    decodeReferences(
      title
        .replace(/"([^"]+)":\S+/g, '$1')
        .replace(/%(?:\{[^{}]*\}|\([^()]*\))?([^%]+)%/g, '$1')
        .replace(/(?<!\w)(\*\*|__|\?\?|[*_@+^~-])(?!\s)([^*_@+^~?]+)(?<!\s)\1(?!\w)/g, '$2'),
    ),
};
