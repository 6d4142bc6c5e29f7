import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { SourceFile } from '../../../../core/contracts/reader.ts';
import createReader from '../../../../plugins/readers/text/index.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { never } from '../../../support/hosted-host.ts';
import { encode } from '../encode.ts';
import RIGHTS from './support/texts.json' with { type: 'json' };

type File = Partial<SourceFile>;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf16le = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le'));
const utf16be = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le').swap16());

const reader = await createReader(collaborators());

/** Reads bytes as a file of which nothing else is known. */
const read = async (bytes: Uint8Array, more: File = {}) => {
  const file = { bytes, name: undefined, mediaType: undefined, charset: undefined, ...more };
  return reader.read(file, { report() {}, signal: never, options: {} });
};

/** The first article of the Universal Declaration of Human Rights, with the encodings that old files of its language have. */
const TEXTS: Readonly<Record<string, string>> = RIGHTS;
const textIn = (encoding: string) =>
  Object.keys(TEXTS).find((text) => TEXTS[text]?.split(' ').includes(encoding)) as string;
const [RUSSIAN, GREEK, KOREAN] = [textIn('windows-1251'), textIn('windows-1253'), textIn('euc-kr')];
/** What no encoding has that is tried. */
const UNFITTING = Uint8Array.of(0x81, 0x8d, 0x8f, 0x90, 0x01, 0x02);
const ASCII = 'Only ASCII in these lines.\n'.repeat(4000);

t.test('texts of many languages are found in their old encodings', async (t) => {
  for (const [text, encodings] of Object.entries(TEXTS)) {
    // Some of them have the same bytes for it.
    for (const encoding of encodings.split(' '))
      t.equal((await read(encode(text, encoding))).text, text, encoding);
    t.same(await read(utf8(text)), { text, encoding: 'utf-8' });
  }
  const signed = `# © 2024\n${ASCII}${GREEK}`;
  t.equal((await read(encode(signed, 'windows-1253'))).text, signed, 'whatever stands far before');
});

/** Texts by what they show, with their encoding; they are read from that, unless there are bytes. */
type Row = readonly [text: string, encoding: string, more?: File, bytes?: Uint8Array];

const DECLARED: readonly (readonly [head: string, more?: File])[] = [
  ['<meta charset=koi8-r>'],
  ["<!doctype html><html><head><META  CharSet='KOI8-R' />"],
  ['<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'],
  ['<!-- <meta charset="utf-8"> --><meta name="a" content="b"><meta charset="koi8-r">'],
  ['text <meta charset="koi8-r">', { mediaType: 'text/html' }],
  ['text <meta charset="koi8-r">', { name: 'a.HTM' }],
  ['<?xml version="1.0" encoding="koi8-r"?>'],
  ['@charset "koi8-r";'],
  ['# -*- coding: koi8-r -*-\n'],
  ['#!/usr/bin/python\n# vim: set fileencoding=koi8-r :\n'],
];
const UNTRUE = ['<meta charset="shift_jis">', '<meta charset="no-such">', '# coding: euc-kr'];

const ALIKE = ['GIF89a is a format.', 'MZ is a mark.', 'RIFF', 'BZh', 'PK', 'ID3 tags'];
const WIDE = 'Līga and Ā,1\r\nž,2\r\n';
const MARKED = 'é\r\n😀\ufeff';
const marks = (more: File = {}): Row[] => [
  [MARKED, 'utf-8', more, utf8(`\ufeff${MARKED}`)],
  [MARKED, 'utf-16le', more, utf16le(`\ufeff${MARKED}`)],
  [MARKED, 'utf-16be', more, utf16be(`\ufeff${MARKED}`)],
];

const READ: Readonly<Record<string, readonly Row[]>> = {
  'a few words with accents are in the usual encoding': [
    ['The café on the corner', 'windows-1252'],
    ['name;straße\r\nMüller;Hauptstraße 5\r\n', 'windows-1252'],
    ['“Zoë” – 10 €', 'windows-1252'],
    ['São Paulo', 'windows-1252'],
    ['déjà vu', 'windows-1252'],
    ['Zoë Smith', 'windows-1252'],
  ],
  'a control character that got into a text by mistake is kept': [
    [`${RUSSIAN.repeat(3)}\b${RUSSIAN}`, 'windows-1251'],
  ],
  'what is found does not depend on what stands far before it': [[ASCII + RUSSIAN, 'windows-1251']],
  'the charset of the request wins, by any of its labels': [
    ['äå', 'windows-1252', { charset: 'ISO-8859-1' }],
    ['ДЕ', 'koi8-r', { charset: 'KOI8-R' }],
    ['де', 'windows-1251', { charset: 'cp1251' }],
    ['\ue4e5', 'utf-16be', { charset: 'UTF-16BE' }, Uint8Array.of(0xe4, 0xe5)],
    ['<?xml version="1.0" encoding="koi8-r"?>é', 'utf-8', { charset: 'utf-8' }],
    [new TextDecoder('koi8-r').decode(UNFITTING), 'koi8-r', { charset: 'koi8-r' }, UNFITTING],
  ],
  'a byte order mark is believed, also against the request, and no part of the text': [
    ...marks(),
    ...marks({ charset: 'koi8-r' }),
  ],
  'UTF-16 without a mark is seen by its bytes NUL': [
    [WIDE, 'utf-16le', {}, utf16le(WIDE)],
    [WIDE, 'utf-16be', {}, utf16be(WIDE)],
    [RUSSIAN, 'utf-16be', {}, utf16be(RUSSIAN)],
  ],
  'what a document declares is tried first': DECLARED.map(
    ([head, more = {}]): Row => [`${head}\u2500`, 'koi8-r', more],
  ),
  'what a document declares counts only where it fits': [
    ...UNTRUE.map((head): Row => [`${head}\n${RUSSIAN.repeat(3)}`, 'windows-1251']),
    ['<meta charset="utf-16">é!', 'utf-8'],
  ],
  'ISO-2022-JP is seen by its escapes': [
    ['a こん b', 'iso-2022-jp', {}, utf8('a \u001b$B$3$s\u001b(B b')],
    ['\u001b[1mé\u001b$B', 'utf-8'],
  ],
  'texts that begin as files that are none are texts': ALIKE.map((text): Row => [text, 'utf-8']),
  'an empty file is an empty text': [
    ['', 'utf-8'],
    ['', 'utf-16le', {}, Uint8Array.of(0xff, 0xfe)],
  ],
  'a view into a larger buffer is read alone': [
    ['é', 'windows-1252', { charset: 'latin1' }, latin1('before é behind').subarray(7, 8)],
    ['$3 a', 'utf-8', {}, latin1('\u001b$B$3 a').subarray(3)],
  ],
};

for (const [promise, rows] of Object.entries(READ))
  t.test(promise, async (t) => {
    for (const [text, encoding, more, bytes] of rows) {
      const given = bytes ?? (encoding === 'utf-8' ? utf8(text) : encode(text, encoding));
      t.same(await read(given, more), { text, encoding }, text.slice(0, 80));
    }
  });

t.test('every text in UTF-8 is read as it is', async () => {
  const texts = anyText.map((text) =>
    text
      .toWellFormed()
      .replaceAll('\0', ' ')
      .replaceAll('\u001b', '')
      .replace(/^\ufeff+/, ''),
  );
  const holds = fc.asyncProperty(texts, async (text) => {
    if (/coding[:=]|^%PDF|^\{\\rtf/.test(text)) return;
    assert.deepEqual(await read(utf8(text)), { text, encoding: 'utf-8' });
    assert.equal((await read(utf16le(`\ufeff${text}`))).text, text);
  });
  await fc.assert(holds);
});

const INVALID = /is not valid .* charset of the request says/;

const REFUSED: Readonly<Record<string, readonly (readonly [Uint8Array, RegExp, File?])[]>> = {
  'a charset that is unknown or does not fit is refused': [
    [utf8('a'), /the encoding "klingon" is unknown; name the/, { charset: 'klingon' }],
    [latin1('é'), INVALID, { charset: 'utf-8' }],
    [Uint8Array.of(0x41, 0x81), INVALID, { charset: 'shift_jis' }],
    [Uint8Array.of(0x41), INVALID, { charset: 'utf-16le' }],
    [Uint8Array.of(0x00, 0xd8), INVALID, { charset: 'utf-16le' }],
    [latin1('é'), INVALID, { charset: 'us-ascii' }],
  ],
  'half a character behind a byte order mark is refused, and so is UTF-32': [
    [Uint8Array.of(0xff, 0xfe, 0x41), /byte order mark says/],
    [Uint8Array.of(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0), /UTF-32; save it as UTF-8/],
    [Uint8Array.of(0, 0, 0xfe, 0xff), /UTF-32; save it as UTF-8/],
  ],
  'files that are no text are refused, and say what they look like': [
    [latin1('%PDF-1.7\n'), /looks like a PDF; choose a reader for this format/],
    [latin1('{\\rtf1\\ansi hello}'), /an RTF document/],
    [latin1('PK\u0003\u0004\u0014\0'), /a ZIP archive, as Office documents and e-books are/],
    [latin1('\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'), /an older Office document/],
    [latin1('\u0089PNG\r\n\u001a\n\0'), /a PNG image/],
    [latin1('\u00ff\u00d8\u00ff\u00e0'), /a JPEG image/],
    [latin1('GIF89a\u0001\0'), /a GIF image/],
    [latin1('\u001f\u008b\u0008'), /a gzip archive/],
    [latin1('some\0thing'), /a binary file: it has NUL bytes/],
    [latin1('\u00ef\u00bb\u00bfsome\0thing'), /a binary file/],
    [latin1('%PDF-1.7'), /PDF/, { charset: 'utf-8', name: 'a.txt' }],
  ],
  'bytes that fit no encoding are refused with those that were tried, and the remedy': [
    [
      UNFITTING,
      /are not valid in any encoding that was tried \(utf-8.*name the encoding in the media type, as in "text\/plain; charset/,
    ],
  ],
  'bytes that its decoder reads as control characters are not valid, and no worse guess is taken': [
    [Uint8Array.of(0x8c, 0x63), /is not valid euc-/, { charset: 'euc-kr' }],
    [Uint8Array.of(0x8c, 0x63), /is not valid euc-/, { charset: 'euc-jp' }],
    [Uint8Array.of(...encode(KOREAN.repeat(3), 'euc-kr'), 0x8c, 0x63), /\(utf-8, euc-kr/],
  ],
};

for (const [promise, rows] of Object.entries(REFUSED))
  t.test(promise, async (t) => {
    for (const [bytes, message, more] of rows)
      await t.rejects(read(bytes, more), { expose: true, statusCode: 400, message });
  });

t.test('an encoding that is inferred from the bytes is reported as that', async (t) => {
  const inferred = async (bytes: Uint8Array, more: File = {}) => {
    const file = { bytes, name: undefined, mediaType: undefined, charset: undefined, ...more };
    const reports: string[][] = [];
    const report = (...reported: string[]) => void reports.push(reported);
    await reader.read(file, { report, signal: never, options: {} });
    return reports;
  };
  const said = async (bytes: Uint8Array) => {
    const reports = Object.fromEntries(await inferred(bytes));
    t.equal(reports['source-encoding-inferred'], 'true');
    return Number(reports['source-encoding-confidence']);
  };
  t.ok((await said(latin1('Où?'))) <= 0.5, 'by the detector, from a letter');
  t.ok((await said(latin1('déjà vu'))) < 0.95, 'by the detector, from a few letters');
  t.ok((await said(encode(KOREAN, 'euc-kr'))) > 0.95, 'by the detector, from many');
  t.equal(await said(utf16le(WIDE)), 0.95, 'by NUL bytes');
  t.equal(
    await said(utf8('<meta charset="latin1">déjà vu')),
    0.9,
    'against a declaration, from a few letters',
  );
  t.equal(await said(utf8(`<meta charset="latin1">${RUSSIAN}`)), 0.99, 'against a declaration');
  t.same(await inferred(utf8('déjà vu')), [], 'UTF-8');
  t.same(await inferred(latin1('déjà vu'), { charset: 'windows-1252' }), [], 'given');
  t.same(await inferred(utf16le('\ufeffdéjà vu')), [], 'marked');
  t.same(await inferred(latin1('<meta charset="latin1">déjà vu')), [], 'declared');
  t.same(await inferred(utf8('<meta charset="no-such">déjà vu')), [], 'declared as nothing that is known');
});

t.test('a few odd bytes in UTF-8 are read as windows-1252, and said', async (t) => {
  const reports: Record<string, string> = {};
  const bytes = Uint8Array.of(...utf8(GREEK), 0xe9, 0x20, ...utf8(GREEK), 0x80, 0xe2, 0x82);
  const file = { bytes, name: undefined, mediaType: undefined, charset: undefined };
  const report = (name: string, value: string) => void Object.assign(reports, { [name]: value });
  const read = await reader.read(file, { report, signal: never, options: {} });
  t.same(read, { text: `${GREEK}é ${GREEK}€â‚`, encoding: 'utf-8' });
  t.match(reports, { 'source-encoding-inferred': 'true', 'source-odd-bytes': '4' });
  const few = Uint8Array.of(...utf8('Déjà vu, été'), 0xe9);
  t.equal(
    (await reader.read({ ...file, bytes: few }, { report, signal: never, options: {} })).text,
    'Déjà vu, étéé',
  );
});
