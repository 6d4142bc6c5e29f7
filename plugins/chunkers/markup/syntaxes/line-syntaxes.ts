import { decodeReferences } from '../../../toolkit/markup/index.ts';
import { Held, levelsOf, signsOf } from '../blocks.ts';
import type { LineSyntax } from './by-lines.ts';

const TAGGED = /^[ \t]*<(nowiki|pre|syntaxhighlight|source|math|score)\b[^>]*(?<!\/)>/i;

export const MEDIAWIKI: LineSyntax = {
  title: (content) => {
    const [, marks, rest] = /^(={1,6})([^=].*)$/.exec(content) ?? [];
    if (marks === undefined || rest === undefined) return undefined;
    const line = rest.includes('<!--') ? rest.replace(/(?:\s*<!--[^>]*-->)+\s*$/, '') : rest;
    if (!line.endsWith(marks)) return undefined;
    const words = line.slice(0, line.length - marks.length).trim();
    return words === '' ? undefined : { level: marks.length, words };
  },
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
  plain: (title) =>
    decodeReferences(
      title
        .replace(/<!--[\s\S]*?-->|<ref\b[^<]*(?:<\/ref>|\/>)|<\/?[a-z][^<>]*>/gi, '')
        .replace(/\{\{[^{}]*\}\}/g, '')
        .replace(/\[\[(?:[^[\]|]*\|)?([^[\]]*)\]\]/g, '$1')
        .replace(/\[(?:https?:|\/\/)[^\s\]]+ ([^\]]+)\]/g, '$1')
        .replace(/'{5}|'{3}|''/g, ''),
    ),
};

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

export const POD: LineSyntax = {
  title: (content) => {
    const [, level, words] = /^=head([1-6])[ \t]+(\S.*)$/.exec(content) ?? [];
    return words === undefined ? undefined : { level: Number(level), words };
  },
  raw: [
    {
      kind: 'block',
      opening: /^=begin[ \t]+:?(\S+)/,
      ends: (line, [, name = '']) => line.startsWith('=end') && line.includes(name),
    },
    { kind: 'code', opening: /^=cut\b/, ends: (line) => /^=[a-zA-Z]/.test(line), isOpen: true },
  ],
  kinds: [
    ['list', /^=item\b/],
    ['metadata', /^=(?:over|back|pod|encoding|for)\b/],
  ],
  hasLiterals: true,
  plain: plainPod,
};

const POD_SIGNS = signsOf('lt=< gt=> verbar=| sol=/');

/** Removes codes such as `C<...>`, which may be nested. */
function plainPod(title: string): string {
  const held = new Held();
  let plain = title.replace(/E<(\w+)>/g, (all, name: string) => {
    const sign = POD_SIGNS.get(name);
    return sign === undefined ? all : held.hold(sign);
  });
  for (let depth = 0; depth < 4; depth++) {
    plain = plain
      .replace(/[XZ]<[^<>]*>/g, '')
      .replace(/L<([^<>|]*)\|[^<>]*>/g, '$1')
      .replace(/[BCFILS]<{2,} (.*?) >{2,}/g, '$1')
      .replace(/[BCFILS]<([^<>]*)>/g, '$1');
  }
  return held.release(plain);
}

const TEXINFO_LEVELS = levelsOf(
  'part',
  'top chapter unnumbered appendix chapheading majorheading centerchap',
  'section unnumberedsec appendixsec appendixsection heading',
  'subsection unnumberedsubsec appendixsubsec subheading',
  'subsubsection unnumberedsubsubsec appendixsubsubsec subsubheading',
);
const TEXINFO_RAW =
  /^[ \t]*@(example|smallexample|lisp|smalllisp|display|smalldisplay|format|smallformat|verbatim|ignore|menu|detailmenu|macro|rmacro|tex|html|docbook|copying|titlepage|direntry|documentdescription|table|multitable)\b/;

export const TEXINFO: LineSyntax = {
  title: (content) => {
    const [, name = '', words] = /^@([a-z]+)[ \t]+(\S.*)$/.exec(content) ?? [];
    const level = TEXINFO_LEVELS.get(name);
    return words === undefined || level === undefined ? undefined : { level, words };
  },
  raw: [{ kind: 'code', opening: TEXINFO_RAW, ends: (line, [, name]) => line.trim() === `@end ${name}` }],
  lead: /^@(?:node|anchor|[cfkptv]index)\b/,
  kinds: [
    ['list', /^@item(?:x)?\b/],
    ['comment', /^@c(?:omment)?\b/],
    [
      'metadata',
      /^(?:@(?:set|clear|setfilename|settitle|def[a-z]*index|syncodeindex|include|bye|end)\b|\\input )/,
    ],
  ],
  plain: (title) => {
    const held = new Held();
    let plain = title
      .replace(/[ \t]@c(?:omment)?[ \t].*$/, '')
      .replace(/@(?:anchor|[cfkptv]index)\{[^{}]*\}/g, '');
    plain = plain
      .replace(/@(TeX|LaTeX)\{\}/g, '$1')
      .replace(/@(?:dots|enddots)\{\}/g, '…')
      .replace(/@copyright\{\}/g, '©');
    plain = plain.replace(/@([@{}])/g, (_, sign: string) => held.hold(sign));
    for (let depth = 0; depth < 4; depth++) plain = plain.replace(/@[a-zA-Z]+\{([^{}]*)\}/g, '$1');
    return held.release(plain);
  },
};

const ROFF_ENDS = signsOf('nf=fi EX=EE TS=TE Bd=Ed de=. ig=. EQ=EN');

export const ROFF: LineSyntax = {
  title: (content) => {
    const [, name, words = ''] = /^[.'][ \t]*(SH|SS|Sh|Ss)(?:[ \t]+(.*))?$/.exec(content) ?? [];
    if (name === undefined) return undefined;
    return { level: name.toUpperCase() === 'SS' ? 2 : 1, words: words.trim() };
  },
  raw: [
    {
      kind: 'code',
      opening: /^[.'][ \t]*(nf|EX|TS|Bd|de|ig|EQ)\b/,
      ends: (line, [, name = '']) => line.replace(/^[.'][ \t]*/, '.').startsWith(`.${ROFF_ENDS.get(name)}`),
    },
  ],
  kinds: [
    ['comment', /^[.'][ \t]*\\"/],
    ['list', /^[.'][ \t]*(?:TP|IP|HP|TQ|It)\b/],
    ['metadata', /^[.'][ \t]*(?:TH|Dd|Dt|Os|RS|RE)\b/],
    ['paragraph', /^[.'][ \t]*(?:PP|LP|P|Pp)\b/],
  ],
  plain: (title) => {
    const bare = title.replace(/\\".*$/, '').trim();
    const unquoted = /^"(.*)"$/.exec(bare)?.[1]?.replace(/""/g, '"') ?? bare.replace(/"([^"]*)"/g, '$1');
    return unquoted
      .replace(/\\f(?:\[[^\]]*\]|\(..|.)/g, '')
      .replace(/\\s[+-]?\d+/g, '')
      .replace(/\\(?:\(aq|\[aq\])/g, "'")
      .replace(/\\(?:\([lr]q|\[[lr]q\])/g, '"')
      .replace(/\\(?:\(em|\[em\])/g, '—')
      .replace(/\\(?:\(en|\[en\])/g, '–')
      .replace(/\\[e\\]/g, '\\')
      .replace(/\\[&|^)%/]/g, '')
      .replace(/\\([-' .~])/g, (_, sign: string) => (sign === '~' ? ' ' : sign));
  },
};
