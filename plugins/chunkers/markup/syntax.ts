import { markupSyntaxOf } from '../../toolkit/markup/index.ts';
import type { Scan } from './blocks.ts';
import type { SyntaxName } from './manifest.ts';
import { scanAsciiDoc } from './syntaxes/asciidoc.ts';
import { scanLines } from './syntaxes/by-lines.ts';
import { scanBibliography, scanLatex, scanLatexDefinitions } from './syntaxes/latex.ts';
import { MEDIAWIKI, POD, ROFF, TEXINFO, TEXTILE } from './syntaxes/line-syntaxes.ts';
import { scanOrg } from './syntaxes/org.ts';
import { scanRestructuredText } from './syntaxes/restructuredtext.ts';

type Scanner = (text: string) => Scan;

interface Syntax {
  /** File extensions without the dot. */
  readonly endings: string;
  readonly mediaTypes: RegExp;
  readonly scan: Scanner;
}

const SYNTAXES: Readonly<Record<SyntaxName, Syntax>> = {
  restructuredtext: {
    endings: 'rst rest',
    mediaTypes: /^text\/(?:x-|prs\.fallenstein\.)?(?:rst|restructuredtext)$/,
    scan: scanRestructuredText,
  },
  asciidoc: { endings: 'adoc asciidoc asc', mediaTypes: /^text\/(?:x-)?asciidoc$/, scan: scanAsciiDoc },
  org: { endings: 'org org_archive', mediaTypes: /^text\/(?:x-)?org$/, scan: scanOrg },
  latex: {
    endings: 'tex latex ltx sty cls dtx bib bbx cbx lbx aux toc ins',
    mediaTypes: /^(?:text|application)\/(?:x-)?(?:la)?tex$|^(?:text|application)\/(?:x-)?bibtex$/,
    scan: scanLatex,
  },
  mediawiki: {
    endings: 'mediawiki wiki wikitext',
    mediaTypes: /^text\/(?:x-)?(?:media)?wiki$/,
    scan: (text) => scanLines(text, MEDIAWIKI),
  },
  textile: {
    endings: 'textile',
    mediaTypes: /^text\/(?:x-)?(?:web-)?textile$/,
    scan: (text) => scanLines(text, TEXTILE),
  },
  pod: { endings: 'pod', mediaTypes: /^text\/(?:x-)?pod$/, scan: (text) => scanLines(text, POD) },
  texinfo: {
    endings: 'texi texinfo txi',
    mediaTypes: /^(?:text|application)\/(?:x-)?texinfo$/,
    scan: (text) => scanLines(text, TEXINFO),
  },
  roff: {
    endings: 'roff man mdoc me ms tmac nr',
    mediaTypes: /^(?:text|application)\/(?:x-)?(?:troff|roff|man|mdoc|nroff)(?:-(?:man|me|ms))?$/,
    scan: (text) => scanLines(text, ROFF),
  },
};

/** The section of a manual in a file name: `ls.1`. */
const MANUAL = /\.[1-9](?:x|pm|in|ssl)?$/i;

/** Finds the syntax by media type, then file name, then content; undefined if none of these shows a syntax. */
export function syntaxOf(text: string, filename: string, mediaType: string): SyntaxName | undefined {
  const names = Object.keys(SYNTAXES) as SyntaxName[];
  const [essence = ''] = mediaType.toLowerCase().split(';', 1);
  const byType = names.find((name) => SYNTAXES[name].mediaTypes.test(essence.trim()));
  if (byType !== undefined) return byType;
  const [, ending] = /\.([^./\\]+)$/.exec(filename.toLowerCase()) ?? [];
  const byName =
    ending === undefined
      ? undefined
      : names.find((name) => SYNTAXES[name].endings.split(' ').includes(ending));
  return byName ?? markupSyntaxOf(text) ?? (MANUAL.test(filename) ? 'roff' : undefined);
}

/** LaTeX packages and bibliographies have their own scanners, chosen by file name. */
export function scannerOf(syntax: SyntaxName, filename: string): Scanner {
  if (syntax !== 'latex') return SYNTAXES[syntax].scan;
  if (/\.(?:bib|bbx|bst)$/i.test(filename)) return scanBibliography;
  return /\.(?:sty|cls|dtx|ins|clo|def|ltx|cbx|lbx|fd)$/i.test(filename) ? scanLatexDefinitions : scanLatex;
}
