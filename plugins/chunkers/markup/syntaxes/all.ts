import type { Scan } from '../blocks.ts';
import type { SyntaxName } from '../manifest.ts';
import { scanAsciiDoc } from './asciidoc.ts';
import { scanLines } from './by-lines.ts';
import { scanBibliography, scanLatex, scanLatexDefinitions } from './latex.ts';
import { POD, ROFF, TEXINFO } from './manuals.ts';
import { scanOrg } from './org.ts';
import { scanRestructuredText } from './restructuredtext.ts';
import { MEDIAWIKI, TEXTILE } from './wikis.ts';

/** Finds the blocks of a text, in linear time. */
type Scanner = (text: string) => Scan;

/** How each syntax is read. */
const SCANNERS: Readonly<Record<SyntaxName, Scanner>> = {
  restructuredtext: scanRestructuredText,
  asciidoc: scanAsciiDoc,
  org: scanOrg,
  latex: scanLatex,
  mediawiki: (text) => scanLines(text, MEDIAWIKI),
  textile: (text) => scanLines(text, TEXTILE),
  pod: (text) => scanLines(text, POD),
  texinfo: (text) => scanLines(text, TEXINFO),
  roff: (text) => scanLines(text, ROFF),
};

/** How texts of some names are read instead. */
export function scannerOf(syntax: SyntaxName, filename: string): Scanner {
  if (syntax !== 'latex') return SCANNERS[syntax];
  if (/\.(?:bib|bbx|bst)$/i.test(filename)) return scanBibliography;
  return /\.(?:sty|cls|dtx|ins|clo|def|ltx|cbx|lbx|fd)$/i.test(filename) ? scanLatexDefinitions : scanLatex;
}
