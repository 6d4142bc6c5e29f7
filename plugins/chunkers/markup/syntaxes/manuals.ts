import { Held } from '../held.ts';
import type { LineSyntax, LineTitle } from './by-lines.ts';

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

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', verbar: '|', sol: '/' };

/** Without codes such as `C<...>`, which may be nested. */
function plainPod(title: string): string {
  const held = new Held();
  let plain = title.replace(/E<(\w+)>/g, (all, name: string) => {
    const known = NAMED[name];
    return known === undefined ? all : held.hold(known);
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

const TEXINFO_LEVELS: Readonly<Record<string, number>> = {
  ...{
    part: 1,
    top: 2,
    chapter: 2,
    unnumbered: 2,
    appendix: 2,
    chapheading: 2,
    majorheading: 2,
    centerchap: 2,
  },
  ...{ section: 3, unnumberedsec: 3, appendixsec: 3, appendixsection: 3, heading: 3 },
  ...{ subsection: 4, unnumberedsubsec: 4, appendixsubsec: 4, subheading: 4 },
  ...{ subsubsection: 5, unnumberedsubsubsec: 5, appendixsubsubsec: 5, subsubheading: 5 },
};
const TEXINFO_RAW =
  /^[ \t]*@(example|smallexample|lisp|smalllisp|display|smalldisplay|format|smallformat|verbatim|ignore|menu|detailmenu|macro|rmacro|tex|html|docbook|copying|titlepage|direntry|documentdescription|table|multitable)\b/;

export const TEXINFO: LineSyntax = {
  title: (content) => {
    const [, name = '', words] = /^@([a-z]+)[ \t]+(\S.*)$/.exec(content) ?? [];
    const level = Object.hasOwn(TEXINFO_LEVELS, name) ? TEXINFO_LEVELS[name] : undefined;
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

const ROFF_TITLE = /^[.'][ \t]*(SH|SS|Sh|Ss)(?:[ \t]+(.*))?$/;

function roffTitle(content: string): LineTitle | undefined {
  const [, name, words = ''] = ROFF_TITLE.exec(content) ?? [];
  return name === undefined
    ? undefined
    : { level: name[1] === 'S' || name[1] === 's' ? 2 : 1, words: words.trim() };
}

const ROFF_ENDS: Readonly<Record<string, RegExp>> = {
  nf: /^[.'][ \t]*fi/,
  EX: /^[.'][ \t]*EE/,
  TS: /^[.'][ \t]*TE/,
  Bd: /^[.'][ \t]*Ed/,
  de: /^[.'][ \t]*\./,
  ig: /^[.'][ \t]*\./,
  EQ: /^[.'][ \t]*EN/,
};

export const ROFF: LineSyntax = {
  title: roffTitle,
  raw: [
    {
      kind: 'code',
      opening: /^[.'][ \t]*(nf|EX|TS|Bd|de|ig|EQ)\b/,
      ends: (line, [, name = '']) => ROFF_ENDS[name]?.test(line) === true,
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
