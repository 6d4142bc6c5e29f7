import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { createDetector } from '../../../../plugins/chunkers/code/detection/detect.ts';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import { startServer } from '../../../support/server.ts';

const FOLDERS = ['samples', 'constructs'].map((name) => join(import.meta.dirname, name));
const detect = createDetector();

/** The written samples: what a language's constructs look like. */
const samples = FOLDERS.flatMap((folder) =>
  readdirSync(folder).map((file) => ({
    language: file.replace(/\.txt$/, ''),
    text: readFileSync(join(folder, file), 'utf8'),
  })),
);

t.test('the language of every written sample is found by its text', async (t) => {
  t.ok(samples.length >= LANGUAGES.length);
  for (const { language, text } of samples) {
    t.equal((await detect(text)).name, language);
    t.equal((await detect(text.replaceAll('\n', '\r\n'))).name, language, `${language} with CRLF`);
  }
});

t.test('what decides at sight decides, whatever follows', async (t) => {
  const markdown = samples.find(({ language }) => language === 'markdown')?.text as string;
  for (const [beginning, language] of [
    ['<?php\n', 'php'],
    ['\n<?php echo 1;\n', 'php'],
    ['<!doctype html>\n', 'html'],
    ['<!-- a note --><!DOCTYPE HTML PUBLIC "x">\n', 'html'],
    ['<?xml version="1.0"?>\n<html>\n', 'html'],
    ['#!/bin/sh\n', 'bash'],
    ['#!/usr/bin/env -S node --test\n', 'javascript'],
    ['#!/usr/bin/python3.12 -u\n', 'python'],
    ['package main\n\nimport "fmt"\n', 'go'],
    ['// A licence.\n/* More. */\npackage tools\n\nfunc main() {}\n', 'go'],
    ['# -*- mode: ruby -*-\n', 'ruby'],
    ['// -*- C++ -*-\n', 'cpp'],
    ['# vim: set ft=perl :\n', 'perl'],
    ['%YAML 1.2\n---\n', 'yaml'],
  ] as const) {
    t.equal((await detect(beginning + markdown)).name, language, JSON.stringify(beginning));
  }
  t.equal((await detect('{"a": [1, 2, {"b": null}]}')).name, 'json');
  t.equal((await detect('<!doctype html>\n<p><?php echo $a; ?></p>\n')).name, 'php');
  t.equal(
    (await detect(`<?php\n${'// a comment\nuse A\\B;\n'.repeat(4000)}`)).name,
    'php',
    'a long text too',
  );
});

t.test('a first line of code that few languages have decides among these, whatever follows', async (t) => {
  const textOf = (language: string) => samples.find((one) => one.language === language)?.text as string;
  for (const [beginning, following, languages] of [
    ['use strict;\nuse warnings;\n', 'sql', 'perl'],
    ['# A licence.\n#\npackage App::Tool;\n', 'markdown', 'perl'],
    ['=head1 NAME\n\n', 'markdown', 'perl'],
    ['// A licence.\n\nuse crate::prelude::*;\n', 'markdown', 'rust'],
    ['package chess.opening\n\n', 'json', 'kotlin scala go'],
    ['from .names import NAMES\n', 'json', 'python'],
    ["import 'package:flutter/material.dart';\n", 'javascript', 'dart'],
    ['/* A licence. */\n"use strict";\n', 'json', 'javascript typescript tsx'],
    ["const { join } = require('node:path');\n", 'yaml', 'javascript typescript tsx'],
    ["import { outdent } from 'outdent';\n", 'yaml', 'javascript typescript tsx'],
    ["import {\n  one,\n  two,\n} from './numbers.js';\n", 'html', 'javascript typescript tsx'],
    ['export default {\n', 'json', 'javascript typescript tsx'],
  ] as const) {
    const { name } = await detect(beginning + textOf(following));
    t.ok(languages.split(' ').includes(name), `${JSON.stringify(beginning)}: ${name}`);
  }
});

t.test('a script without a type that looks like TypeScript is JavaScript, with one it is not', async (t) => {
  const untyped =
    "import { transform } from './transform.js';\n\nit('transforms a border', () => {\n  expect(transform([['border', '2px dashed red']])).toEqual({\n    width: 2,\n    style: 'dashed',\n  });\n});\n";
  const call = "const node = document.getElementById('main');\nconst width = (node as any).offsetWidth;\n";
  t.equal((await detect(untyped)).name, 'javascript');
  t.equal((await detect(call)).name, 'typescript');
  t.equal((await detect(call.replace('(node as any)', 'node'))).name, 'javascript');
  t.equal((await detect('#!/usr/bin/env node\nexport type Size = { width: number };\n')).name, 'typescript');
  t.equal((await detect('/// <reference lib="es2015" />\n/// <reference lib="dom" />\n')).name, 'typescript');
});

t.test('modules of Python that were taken for Markdown, YAML or TOML', async (t) => {
  const documented = `# Common code.\n#\n# It is used by all.\n\n__all__ = ["one", "two"]\n\n\ndef one(a, b=None):\n    """Gives one.\n\n    - First.\n    - Second.\n    """\n    return a if b is None else b\n`;
  const constants = `"""Constants."""\n${Array.from({ length: 40 }, (_, index) => `NAME_${index} = ${index}\n`).join('')}\n\ndef is_name(x):\n    return x < 40\n`;
  for (const text of [documented, constants]) t.equal((await detect(text)).name, 'python');
});

t.test('a file name decides, by the tables of linguist', async (t) => {
  const text = 'no code at all\n';
  for (const [name, language] of [
    ['main.go', 'go'],
    ['/a/b.c/Main.JAVA', 'java'],
    ['C:\\work\\a.cs', 'csharp'],
    ['types.d.ts', 'typescript'],
    ['a.test.tsx', 'tsx'],
    ['styles.scss', 'css'],
    ['Rakefile', 'ruby'],
    ['.bashrc', 'bash'],
    ['Cargo.lock', 'toml'],
    ['dump.plsql', 'sql'],
    ['tsconfig.json', 'json'],
    ['build.gradle.kts', 'kotlin'],
    ['component.jsx', 'javascript'],
    ['conf.yml', 'yaml'],
  ] as const) {
    t.equal((await detect(text, name)).name, language, name);
  }
});

t.test('a name that several languages or none share leaves the text to decide', async (t) => {
  const sampleOf = (language: string) => samples.find((one) => one.language === language)?.text as string;
  t.equal((await detect(sampleOf('c'), 'a.h')).name, 'c');
  t.equal((await detect(sampleOf('cpp'), 'a.h')).name, 'cpp');
  t.equal((await detect('', 'a.h')).name.replace('cpp', 'c'), 'c', 'among those that share it');
  for (const name of ['README', 'a.unknown', '.', '..', '/', '', 'constructor', 'a.__proto__']) {
    t.equal((await detect(sampleOf('rust'), name)).name, 'rust', name);
  }
});

t.test('whatever it is given, it finds some language, in time that the length hardly changes', async (t) => {
  const names = new Set<string>(LANGUAGES.map(({ name }) => name));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (text, name) => {
      if (!names.has((await detect(text)).name) || !names.has((await detect(text, name)).name))
        throw new Error();
    }),
  );
  const hostile = [
    '<!--',
    '/*',
    '/**/',
    '"',
    '(',
    '<a ',
    '\n//',
    'interface a<',
    'type a<',
    'a::',
    '"\\',
    '-*- ',
    '\n',
    '\uD800',
  ];
  for (const text of hostile) {
    t.ok(names.has((await detect(text.repeat(1_000_000))).name), JSON.stringify(text));
  }
});

t.test('the id of a document is the name of its file, if it is one', async (t) => {
  const { post } = await startServer(t, { plugins: ['code', 'character'] });
  const languagesOf = async (ids: (string | undefined)[], options: object) => {
    const documents = ids.map((id) => ({ id, text: '<?php\necho "hi";\n' }));
    const { status, headers } = await post('/v1/chunk/code', { documents, ...options });
    return status === 200 ? headers.get('x-code-language')?.split(/, */) : status;
  };
  const ids = ['lib/a.rb', 'b.go', 'kb/42', 'notes.v2', '😀/\u0000.', '../..', '__proto__', undefined];
  const php = Array(6).fill('php');
  t.same(await languagesOf(ids, { language: 'auto' }), ['ruby', 'go', ...php]);
  t.same(await languagesOf(['lib/a.rb', 'b.go'], { filename: 'x.lua' }), ['lua'], 'a file name wins');
  t.same(await languagesOf(['lib/a.rb'], {}), undefined, 'the default is Python, whatever the id');
});

t.test('`auto` and `filename` over HTTP never answer 500', async (t) => {
  const { post } = await startServer(t, { plugins: ['code', 'character'] });
  const ask = (request: object) => post('/v1/chunk/code', request);
  const languageOf = async (request: object) => (await ask(request)).headers.get('x-code-language');
  t.equal(await languageOf({ text: '<?php\necho "hi";\n', language: 'auto' }), 'php');
  t.equal(await languageOf({ text: 'x\n', language: 'auto', filename: 'a.rb' }), 'ruby');
  t.equal(
    await languageOf({ text: 'x\n', filename: 'a.rb' }),
    'ruby',
    'a name without a language means auto',
  );
  t.equal(await languageOf({ text: 'x\n', filename: 'a.rb', language: 'go' }), null, 'a language wins');
  t.equal((await ask({ text: 'x = 1\n' })).headers.get('x-code-language'), null, 'the default is Python');
  t.equal((await ask({ text: 'x', filename: '' })).status, 400);
  for (const [index, { language, text }] of samples.entries()) {
    const parts = [
      text.slice(0, text.length / 2),
      text.slice(text.length / 3),
      `<?php\n${text}`,
      `${text}\0`,
    ];
    const answer = await ask({ text: parts[index % parts.length] as string, language: 'auto' });
    t.equal(answer.status, 200, language);
  }
});
