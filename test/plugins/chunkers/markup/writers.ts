/** How a syntax is written, with lines that look like titles where they are none. */
export interface Writer {
  readonly filename: string;
  /** From 1, the highest. */
  title(name: string, level: number): string;
  /** What hides a line. */
  readonly hiding: readonly ((line: string) => string)[];
  /** Lines that would be titles elsewhere. */
  readonly decoys: readonly string[];
}

const STYLES = ['=', '-', '~', '^'];
const indented = (line: string) => line.replace(/^(?=.)/gm, '   ');
const COMMANDS = ['section', 'subsection', 'subsubsection', 'paragraph'];

export const WRITERS: Readonly<Record<string, Writer>> = {
  restructuredtext: {
    filename: 'a.rst',
    title: (name, level) => `${name}\n${(STYLES[level - 1] as string).repeat(name.length)}\n\n`,
    hiding: [
      (line) => `.. code-block:: sh\n\n${indented(line)}\n\n`,
      (line) => `So it is::\n\n${indented(line)}\n\n`,
      (line) => `..\n${indented(line)}\n\n`,
      (line) => `- one\n\n${indented(line)}\n\n`,
      () => '====  ====\nA     B\n====  ====\n1     2\n====  ====\n\n',
      () => '+---+\n| A |\n+---+\n\n',
      () => 'Text above.\n\n----\n\n',
    ],
    decoys: ['# install it', 'Decoy\n=====', '=====\nDecoy\n====='],
  },
  asciidoc: {
    filename: 'a.adoc',
    title: (name, level) => `[[id-${level}]]\n${'='.repeat(level)} ${name}\n\n`,
    hiding: [
      (line) => `[source,sh]\n----\n${line}\n----\n\n`,
      (line) => `.Listing\n....\n${line}\n....\n\n`,
      (line) => `////\n${line}\n////\n\n`,
      (line) => `====\nWords.\n\n${line}\n====\n\n`,
      (line) => `|===\n|a\n\n${line}\n|===\n\n`,
      (line) => `\`\`\`sh\n${line}\n\`\`\`\n\n`,
      (line) => `Words\n${line}\n\n`,
    ],
    decoys: ['== Decoy', '# install it'],
  },
  org: {
    filename: 'a.org',
    title: (name, level) => `${'*'.repeat(level)} TODO [#A] ${name} :tag:\n:PROPERTIES:\n:ID: 1\n:END:\n\n`,
    hiding: [
      (line) => `#+BEGIN_SRC sh\n${line}\n#+END_SRC\n\n`,
      (line) => `#+begin_example\n${line}\n#+end_example\n\n`,
      (line) => `: ${line.split('\n')[0]}\n\n`,
      () => '# a comment\n\n',
      () => '*bold* words at the beginning\n\n',
    ],
    decoys: ['# install it', '** Decoy'],
  },
  latex: {
    filename: 'a.tex',
    title: (name, level) => `\\${COMMANDS[level - 1]}*[short]{${name}}\\label{x}\n`,
    hiding: [
      (line) => `\\begin{verbatim}\n${line}\n\\end{verbatim}\n\n`,
      (line) => `\\begin{lstlisting}[language=sh]\n${line}\n\\end{lstlisting}\n\n`,
      (line) => `% ${line.split('\n')[0]}\n\n`,
      (line) => `Words \\verb|${line.split('\n')[0]}| and more.\n\n`,
      () => '\\begin{equation}\n  a = b\n\\end{equation}\n\n',
    ],
    decoys: ['\\section{Decoy}', '# install it'],
  },
  mediawiki: {
    filename: 'a.mediawiki',
    title: (name, level) => `${'='.repeat(level + 1)} ${name} ${'='.repeat(level + 1)}\n`,
    hiding: [
      (line) => `<pre>\n${line}\n</pre>\n\n`,
      (line) => `<!--\n${line}\n-->\n\n`,
      (line) => `<syntaxhighlight lang="sh">\n${line}\n</syntaxhighlight>\n\n`,
    ],
    decoys: ['== Decoy ==', '# install it'],
  },
  textile: {
    filename: 'a.textile',
    title: (name, level) => `h${level}. ${name}\n\n`,
    hiding: [(line) => `<pre>\n${line}\n</pre>\n\n`, (line) => `bc. code\n${line.split('\n')[0]}\n\n`],
    decoys: ['# install it'],
  },
  pod: {
    filename: 'a.pod',
    title: (name, level) => `=head${level} ${name}\n\n`,
    hiding: [(line) => `${indented(line)}\n\n`, (line) => `=begin text\n\n${line}\n\n=end text\n\n`],
    decoys: ['# install it'],
  },
  texinfo: {
    filename: 'a.texi',
    title: (name, level) =>
      `@node ${name}\n@${['chapter', 'section', 'subsection', 'subsubsection'][level - 1]} ${name}\n\n`,
    hiding: [(line) => `@example\n${line}\n@end example\n\n`, (line) => `@c ${line.split('\n')[0]}\n\n`],
    decoys: ['@section Decoy', '# install it'],
  },
  roff: {
    filename: 'a.man',
    title: (name, level) => `.${level === 1 ? 'SH' : 'SS'} "${name}"\n`,
    hiding: [(line) => `.nf\n${line}\n.fi\n`, (line) => `.\\" ${line.split('\n')[0]}\n`],
    decoys: ['# install it'],
  },
};
