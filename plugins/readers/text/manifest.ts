import type { Manifest } from '../../../core/kit.ts';

const words = (list: string): string[] => list.trim().split(/\s+/);

/** Extensions, such as `.csv`, whose files may have a misleading media type. Other files match `*\/*`. */
const EXTENSIONS = `
  .txt .text .log .md .markdown .mdown .mkd .mdx .rst .adoc .asciidoc .org .textile .tex .bib .wiki .po .diff .patch
  .html .htm .xhtml .xht .shtml .xml .xsd .xsl .xslt .rss .atom .svg .dita .ditamap .opml .tei .jats .nxml .dbk
  .docbook .xliff .xlf .tmx .wsdl .pom .gpx .kml .resx .xaml .axaml .csproj .vbproj .fsproj .props .targets .plist
  .csv .tsv .tab .psv .json .json5 .jsonc .jsonl .ndjson .geojson .webmanifest
  .yaml .yml .toml .ini .cfg .conf .properties .env .sql .graphql .gql .proto .tf .hcl
  .css .scss .sass .less .js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro
  .erb .rhtml .ejs .jinja .jinja2 .j2 .njk .twig .liquid .hbs .handlebars .mustache
  .py .pyi .pyw .rb .php .pl .pm .lua .r .jl .java .kt .kts .scala .groovy .gradle .clj .cljs .go .rs .zig .nim .d
  .c .h .cc .hh .cpp .hpp .cxx .hxx .cs .fs .fsx .vb .m .mm .swift .dart .ex .exs .erl .hs .elm .ml .mli .lisp .el .scm
  .f .f90 .f95 .pas .asm .s .v .vhd .sol .sh .bash .zsh .fish .ps1 .psm1 .bat .cmd .awk .mk .cmake
`;

const MEDIA_TYPES = `
  text/* application/json application/ld+json application/geo+json application/jsonl application/x-ndjson
  application/xml application/xhtml+xml application/rss+xml application/atom+xml image/svg+xml
  application/javascript application/ecmascript application/typescript application/x-sh application/x-httpd-php
  application/yaml application/x-yaml application/toml application/sql application/graphql application/x-tex */*
`;

export default {
  kind: 'reader',
  name: 'text',
  summary: 'Text in any encoding: Markdown, HTML, CSV, JSON, XML, source code and any other text.',
  formats: { extensions: words(EXTENSIONS), mediaTypes: words(MEDIA_TYPES) },
  reports: {
    'source-encoding-inferred':
      '`true` if the encoding was inferred from the bytes: none was given, and none or a wrong one was declared.',
    'source-encoding-confidence': 'How sure an inferred encoding is, from 0 to 1: `0.87`.',
    'source-odd-bytes':
      'How many bytes are invalid in the inferred encoding UTF-8, and were read as windows-1252; missing if none is.',
  },
  needs: { packages: ['jschardet'], packageFiles: { jschardet: ['build/**/*.js'] } },
  light: true,
} as const satisfies Manifest;
