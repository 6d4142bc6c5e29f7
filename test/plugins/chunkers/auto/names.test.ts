import { readFileSync } from 'node:fs';
import t from 'tap';
import { choose } from '../../../../plugins/chunkers/auto/choose.ts';
import { linguistNames, NAMES_FILE } from './linguist-names.ts';

const chosen = (text: string, filename?: string, mediaType?: string) =>
  choose({ text, filename, mediaType, isTolerant: false, isHere: () => true });

/** Texts that look like Markdown, code or a table. */
const TEXTS = [
  '# DO NOT EDIT\n\nname value\n\n# Another comment\n\nname other\n',
  '# a comment\ndef first(path):\n    return os.stat(path)\n\nfirst("x");\n',
  '# [link](https://example.org) and **bold**\n\n- item\n',
  'a,b\n1,2\n3,4\n',
];

const GRAMMARLESS =
  `Dockerfile Dockerfile.dev Containerfile Makefile GNUmakefile CMakeLists.txt a.cmake a.mk requirements.txt
  requirements-dev.txt .gitignore .dockerignore .npmignore crontab .env .env.example a.cr a.nix Jenkinsfile a.groovy
  a.gradle a.tf a.hcl a.proto a.graphql a.jl a.clj a.erl a.ml a.fsx a.vb a.pas a.f90 a.m a.mm a.s a.v a.vhd a.d a.nim a.elm
  a.coffee a.lisp a.el a.scm a.rkt a.tcl a.awk a.vim .vimrc a.bat a.ps1 a.fish a.sol a.wgsl a.glsl a.sass a.styl a.pug
  a.haml a.po a.desktop a.properties CODEOWNERS go.mod go.sum robots.txt a.http a.feature a.puml a.dot Procfile
  Caddyfile nginx.conf sshd_config a.hy a.nu meson.build a.as a.pp a.cue a.kdl a.prisma a.rego`.split(/\s+/);

t.test('a named language without a grammar is cut at line ends, whatever its text looks like', async (t) => {
  for (const name of GRAMMARLESS)
    for (const text of TEXTS) t.equal(chosen(text, `src/${name}`), 'lines', `${name} ${text}`);
});

t.test('its comments are no headings, and its lines are whole', async (t) => {
  const { startServer } = await import('../../../support/server.ts');
  const client = await startServer(t, {});
  const text = 'FROM node\n\n# Dependencies\n\nRUN npm ci\n\n# Sources\n\nCOPY . .\n'.repeat(9);
  const documents = [{ text, filename: 'Dockerfile' }];
  const answer = await client.post('/v1/chunk/auto', { documents, chunk_size: 60 });
  t.equal(answer.headers.get('x-auto-chunker'), 'recursive');
  const [chunks = []] = answer.json<{ text: string; heading_path?: unknown }[][]>();
  t.ok(chunks.every((one) => one.text.endsWith('\n') && one.heading_path === undefined));
  t.notOk(chunks.some((one) => /^#.*\n+$/m.test(one.text.trimEnd().split('\n').at(-1) ?? '')));
});

t.test('a named language with a grammar is code, by its extension or its whole name', async (t) => {
  const named =
    'Rakefile Gemfile Vagrantfile .bashrc .zshrc a.ini .editorconfig .gitconfig a.bzl BUILD.bazel a.cu a.ino a.less';
  for (const name of `${named} a.sh a.es6 Cargo.lock a.phtml a.pyi`.split(' '))
    t.equal(chosen(TEXTS[0] as string, name), 'code', name);
});

t.test('a named markup language is markup', async (t) => {
  for (const name of 'a.rst a.ADOC a.asciidoc a.org a.tex a.bib a.mediawiki a.wiki a.textile a.pod a.texi a.sty'.split(
    ' ',
  ))
    for (const text of TEXTS) t.equal(chosen(text, name), 'markup', name);
  t.equal(chosen('.TH LS 1\n.SH NAME\nls\n', 'ls.1'), 'markup');
  t.not(chosen('10:00 started\n', 'server.log.1'), 'markup', 'a number is not a section of a manual');
});

t.test('a media type decides, with parameters and in capitals', async (t) => {
  const types =
    'text/x-rst text/prs.fallenstein.rst text/x-org text/asciidoc text/x-tex application/x-latex application/x-tex text/troff';
  for (const type of types.split(' ')) {
    for (const one of [type, type.toUpperCase(), `${type}; charset=utf-8`])
      t.equal(chosen('# a\n\nb\n', 'a.md', one), 'markup', one);
  }
  t.equal(chosen('# a\n\nb\n', undefined, 'text/x-cmake'), 'lines');
  t.equal(chosen('x', undefined, 'Text/Markdown; charset=utf-8'), 'markdown');
  t.equal(chosen('x', 'a.py', 'text/plain'), 'code', 'one that says nothing leaves it to the name');
  t.equal(chosen('x', 'a.py', 'text/x-cmake'), 'code', 'a name of a language is weaker than a file name');
});

t.test('languages that share an extension are told apart', async (t) => {
  t.equal(chosen(';; Machine description\n(define_insn "add"\n  [(set)])\n', 'arm.md'), 'lines');
  t.equal(chosen('#import <Foundation/Foundation.h>\n@interface A : NSObject\n@end\n', 'A.h'), 'lines');
  t.equal(chosen('int add(int a, int b);\n', 'a.h'), 'code');
  t.equal(chosen('parent(a, b).\nold(X) :- parent(X, _).\n', 'a.pl'), 'lines');
  t.equal(chosen('use strict;\nmy $a = 1;\n', 'a.pl'), 'code');
  t.equal(chosen('REBOL [Title: "a"]\n', 'a.r'), 'lines');
  t.equal(chosen('[section]\na = b\n', 'setup.cfg'), 'code');
  t.equal(chosen('\\NeedsTeXFormat{LaTeX2e}\n\\ProvidesClass{a}\n', 'a.cls'), 'markup');
  t.equal(chosen('VERSION 1.0 CLASS\nBEGIN\nEND\n', 'a.cls'), 'lines');
});

t.test('a program in the first line names the language', async (t) => {
  t.equal(chosen('#!/usr/bin/awk -f\n{ print $1; }\n'), 'lines');
  t.equal(chosen('#!/usr/bin/env -S tclsh\nputs a\n'), 'lines');
  t.equal(chosen('#!/bin/sh\n# a\n\necho a\n'), 'code');
});

t.test('without a name, lines of one level next to text are comments, and no headings', async (t) => {
  t.not(
    chosen('# The first server\nhost one\n\n# The second server\nhost two\n\n# Others\n# more\nhost three\n'),
    'markdown',
  );
  t.equal(chosen('# Tea\n\nBoil water.\n\n# Milk\n\nOnly a little.\n'), 'markdown');
  t.equal(chosen('# Tea\nBoil water.\n## Milk\nOnly a little.\n'), 'markdown');
});

t.test('without a name, what only one markup language has shows it', async (t) => {
  for (const text of [
    'Tea\n===\n\n.. note:: Hot.\n\nWords.\n',
    '= Tea\n:toc:\n\n== Milk\n\nWords.\n',
    '#+TITLE: Tea\n\n* Milk\n\nWords.\n',
    '\\documentclass{article}\n\\begin{document}\nTea\n\\end{document}\n',
    '.TH TEA 1\n.SH NAME\ntea\n',
    "'''Tea''' is hot.\n\n== Milk ==\n[[Cup]]\n",
  ])
    t.equal(chosen(text), 'markup', text);
  t.not(chosen('Tea\n===\n\nWords.\n\nMilk\n----\n\n- a\n'), 'markup', 'Markdown underlines titles too');
  t.equal(chosen('# Tea\n\n```org\n#+TITLE: Tea\n```\n'), 'markdown');
});

t.test('a byte order mark changes nothing', async (t) => {
  const texts = [
    ...TEXTS,
    '{"a": 1}',
    '<!doctype html>\n<p>a</p>',
    '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n',
    '#!/bin/sh\necho a\n',
    '= Tea\n:toc:\n\nWords.\n',
  ];
  for (const text of texts)
    for (const name of [undefined, 'a.json', 'a.h', 'a.txt'])
      t.equal(chosen(`\ufeff${text}`, name), chosen(text, name), text);
});

t.test('the names are those of linguist', async (t) => {
  // After an update of linguist-languages: node test/plugins/chunkers/auto/linguist-names.ts
  t.same(JSON.parse(readFileSync(NAMES_FILE, 'utf8')), linguistNames());
});
