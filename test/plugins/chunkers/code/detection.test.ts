import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { createDetector } from '../../../../plugins/chunkers/code/detection/detect.ts';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import KNOWN from './known.json' with { type: 'json' };
import { ask } from './support/ask.ts';
import { codeNames, NAMES_FILE } from './write-linguist.ts';

const FOLDERS = ['samples', 'constructs'].map((name) => join(import.meta.dirname, name));
const detect = createDetector();

/** The written samples: what a language's constructs look like. */
const samples = FOLDERS.flatMap((folder) =>
  readdirSync(folder).map((file) => ({
    language: file.replace(/\.txt$/, ''),
    text: readFileSync(join(folder, file), 'utf8'),
  })),
);

const sampleOf = (language: string) => samples.find((one) => one.language === language)?.text as string;
const nameOf = async (text: string, file?: string) => (await detect(text, file)).name;

t.test('the language of every written sample is found by its text', async (t) => {
  t.ok(samples.length >= LANGUAGES.length);
  for (const { language, text } of samples) {
    t.equal(await nameOf(text), language);
    t.equal(await nameOf(text.replaceAll('\n', '\r\n')), language, `${language} with CRLF`);
  }
});

t.test('what decides at sight decides, whatever follows', async (t) => {
  for (const [beginning, language] of Object.entries(KNOWN.beginnings)) {
    t.equal(await nameOf(beginning + sampleOf('markdown')), language, JSON.stringify(beginning));
  }
  t.equal(await nameOf('no code at all'), 'python');
  t.equal(await nameOf('#!/bin/constructor\nx\n'), 'bash');
  t.equal(await nameOf('{"a": [1, 2, {"b": null}]}'), 'json');
  t.equal(await nameOf('<!doctype html>\n<p><?php echo $a; ?></p>\n'), 'php');
  t.equal(await nameOf(`<?php\n${'// a comment\nuse A\\B;\n'.repeat(4000)}`), 'php', 'a long text too');
});

t.test('a first line of code that few languages have decides among these, whatever follows', async (t) => {
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
    const name = await nameOf(beginning + sampleOf(following));
    t.ok(languages.split(' ').includes(name), `${JSON.stringify(beginning)}: ${name}`);
  }
});

t.test('a script without a type that looks like TypeScript is JavaScript, with one it is not', async (t) => {
  const untyped =
    "import { transform } from './transform.js';\n\nit('transforms a border', () => {\n  expect(transform([['border', '2px dashed red']])).toEqual({\n    width: 2,\n    style: 'dashed',\n  });\n});\n";
  const call = "const node = document.getElementById('main');\nconst width = (node as any).offsetWidth;\n";
  t.equal(await nameOf(untyped), 'javascript');
  t.equal(await nameOf(call), 'typescript');
  t.equal(await nameOf(call.replace('(node as any)', 'node')), 'javascript');
  t.equal(await nameOf('#!/usr/bin/env node\nexport type Size = { width: number };\n'), 'typescript');
  t.equal(await nameOf('/// <reference lib="es2015" />\n/// <reference lib="dom" />\n'), 'typescript');
});

t.test('modules of Python that were taken for Markdown, YAML or TOML', async (t) => {
  const documented = `# Common code.\n#\n# It is used by all.\n\n__all__ = ["one", "two"]\n\n\ndef one(a, b=None):\n    """Gives one.\n\n    - First.\n    - Second.\n    """\n    return a if b is None else b\n`;
  const constants = `"""Constants."""\n${Array.from({ length: 40 }, (_, index) => `NAME_${index} = ${index}\n`).join('')}\n\ndef is_name(x):\n    return x < 40\n`;
  for (const text of [documented, constants]) t.equal(await nameOf(text), 'python');
});

t.test('a file name decides, by the tables of linguist', async (t) => {
  const text = 'no code at all\n';
  for (const [name, language] of Object.entries(KNOWN.names)) {
    t.equal(await nameOf(text, name), language, name);
  }
});

t.test('the names of files are those of linguist', async (t) => {
  // After an update of linguist-languages: node test/plugins/chunkers/code/write-linguist.ts
  t.same(JSON.parse(readFileSync(NAMES_FILE, 'utf8')), codeNames());
});

t.test('a name that several languages or none share leaves the text to decide', async (t) => {
  t.equal(await nameOf(sampleOf('c'), 'a.h'), 'c');
  t.equal(await nameOf(sampleOf('cpp'), 'a.h'), 'cpp');
  t.equal((await nameOf('', 'a.h')).replace('cpp', 'c'), 'c', 'among those that share it');
  for (const name of ['README', 'a.unknown', '.', '..', '/', '', 'constructor', 'a.__proto__']) {
    t.equal(await nameOf(sampleOf('rust'), name), 'rust', name);
  }
});

t.test('whatever it is given, it finds some language, in time that the length hardly changes', async (t) => {
  const names = new Set<string>(LANGUAGES.map(({ name }) => name));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (text, name) => {
      assert.ok(names.has(await nameOf(text)) && names.has(await nameOf(text, name)));
    }),
  );
  const hostile = ['<!--', '/*', '/**/', '"', '(', '<a ', '\n//', 'interface a<', 'type a<', 'a::', '"\\'];
  for (const text of [...hostile, '-*- ', '\n', '\uD800'])
    t.ok(names.has(await nameOf(text.repeat(200_000))), JSON.stringify(text));
});

t.test('the id of a document is the name of its file, if it is one', async (t) => {
  const languagesOf = async (ids: (string | undefined)[], options: object) => {
    const documents = ids.map((id) => ({ id, text: '<?php\necho "hi";\n' }));
    return (await ask({ documents, ...options })).language?.split(/, */);
  };
  const ids = ['lib/a.rb', 'b.go', 'kb/42', 'notes.v2', '😀/\u0000.', '../..', '__proto__', undefined];
  const php = Array(6).fill('php');
  t.same(await languagesOf(ids, { language: 'auto' }), ['ruby', 'go', ...php]);
  t.same(await languagesOf(['lib/a.rb', 'b.go'], { filename: 'x.lua' }), ['lua'], 'a file name wins');
  t.same(await languagesOf(['lib/a.rb'], {}), undefined, 'the default is Python, whatever the id');
});

t.test('`auto` and `filename` never fail', async (t) => {
  const php = '<?php\necho "hi";\n';
  const texts = ['#!/bin/sh\nx\n', 'package main\n\nfunc main() {}\n', ' '];
  for (const [request, language, why] of [
    [{ text: php, language: 'auto' }, 'php', 'the text'],
    [{ text: php, language: 'auto', filename: 'a.rb' }, 'ruby', 'a name wins'],
    [{ text: php, filename: 'a.rb' }, 'ruby', 'a name without a language means auto'],
    [{ text: php, filename: 'a.rb', language: 'go' }, undefined, 'a language wins'],
    [{ text: php }, undefined, 'the default is Python'],
    [{ text: texts, language: 'auto' }, 'bash, go, -', 'of each text'],
  ] as const)
    t.equal((await ask(request)).language, language, why);
  await t.rejects(ask({ text: 'x', filename: '' }), { code: 'invalid_parameters' });
  for (const [index, { language, text }] of samples.entries()) {
    const start = text.slice(0, text.length / 2);
    const parts = [start, text.slice(text.length / 3), `<?php\n${text}`, `${text}\0`];
    t.ok((await ask({ text: parts[index % 4], language: 'auto' })).language, language);
  }
});
