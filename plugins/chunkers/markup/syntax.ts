import { markupSyntaxOf } from '../../toolkit/markup/index.ts';
import type { SyntaxName } from './manifest.ts';

/** The endings of file names of each syntax. */
const ENDINGS: Readonly<Record<SyntaxName, string>> = {
  restructuredtext: 'rst rest',
  asciidoc: 'adoc asciidoc asc',
  org: 'org org_archive',
  latex: 'tex latex ltx sty cls dtx bib bbx cbx lbx aux toc ins',
  mediawiki: 'mediawiki wiki wikitext',
  textile: 'textile',
  pod: 'pod',
  texinfo: 'texi texinfo txi',
  roff: 'roff man mdoc me ms tmac nr',
};

const MEDIA_TYPES: Readonly<Record<SyntaxName, RegExp>> = {
  restructuredtext: /^text\/(?:x-|prs\.fallenstein\.)?(?:rst|restructuredtext)$/,
  asciidoc: /^text\/(?:x-)?asciidoc$/,
  org: /^text\/(?:x-)?org$/,
  latex: /^(?:text|application)\/(?:x-)?(?:la)?tex$|^(?:text|application)\/(?:x-)?bibtex$/,
  mediawiki: /^text\/(?:x-)?(?:media)?wiki$/,
  textile: /^text\/(?:x-)?(?:web-)?textile$/,
  pod: /^text\/(?:x-)?pod$/,
  texinfo: /^(?:text|application)\/(?:x-)?texinfo$/,
  roff: /^(?:text|application)\/(?:x-)?(?:troff|roff|man|mdoc|nroff)(?:-(?:man|me|ms))?$/,
};

/** A section of a manual in a file name: `ls.1`. */
const MANUAL = /\.[1-9](?:x|pm|in|ssl)?$/i;

/** The syntax of a text: by its media type, then its name, then its content; undefined if none of them shows one. */
export function syntaxOf(text: string, filename: string, mediaType: string): SyntaxName | undefined {
  const names = Object.keys(ENDINGS) as SyntaxName[];
  const [essence = ''] = mediaType.toLowerCase().split(';', 1);
  const byType = names.find((name) => MEDIA_TYPES[name].test(essence.trim()));
  if (byType !== undefined) return byType;
  const [, ending = ''] = /\.([^./\\]+)$/.exec(filename.toLowerCase()) ?? [];
  const byName = ending === '' ? undefined : names.find((name) => ENDINGS[name].split(' ').includes(ending));
  return byName ?? markupSyntaxOf(text) ?? (MANUAL.test(filename) ? 'roff' : undefined);
}
