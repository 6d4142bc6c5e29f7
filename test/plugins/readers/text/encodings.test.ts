import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { encode } from './support/encode.ts';
import { read } from './support/read.ts';
import { TEXTS } from './support/texts.ts';

const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf16le = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le'));
const utf16be = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le').swap16());

t.test('texts of many languages are found in their old encodings', async (t) => {
  for (const [text, ...encodings] of TEXTS) {
    // Some of them have the same bytes for it.
    for (const encoding of encodings) t.equal((await read(encode(text, encoding))).text, text, encoding);
    t.same(await read(text), { text, encoding: 'utf-8' });
  }
});

t.test('a few words with accents are in the usual encoding', async (t) => {
  for (const text of [
    'The café on the corner',
    'name;straße\r\nMüller;Hauptstraße 5\r\n',
    '“Zoë” – 10 €',
    'São Paulo',
    'déjà vu',
    'Zoë Smith',
  ])
    t.same(await read(encode(text, 'windows-1252')), { text, encoding: 'windows-1252' });
});

t.test('a control character that got into a text by mistake is kept', async (t) => {
  const [russian] = TEXTS[3] ?? [''];
  const text = `${russian.repeat(3)}\b${russian}`;
  t.same(await read(encode(text, 'windows-1251')), { text, encoding: 'windows-1251' });
});

t.test('what is found does not depend on what stands far before it', async (t) => {
  const [text, encoding = ''] = TEXTS[3] ?? [''];
  const whole = 'Only ASCII in these lines.\n'.repeat(4000) + text;
  t.same(await read(encode(whole, encoding)), { text: whole, encoding });
  const [greek] = TEXTS[4] ?? [''];
  const signed = `# © 2024\n${'Only ASCII in these lines.\n'.repeat(4000)}${greek}`;
  t.equal((await read(encode(signed, 'windows-1253'))).text, signed);
});

t.test('the charset of the request wins, by any of its labels', async (t) => {
  const bytes = Uint8Array.of(0xe4, 0xe5);
  for (const [charset, text, encoding] of [
    ['ISO-8859-1', 'äå', 'windows-1252'],
    ['KOI8-R', 'ДЕ', 'koi8-r'],
    ['cp1251', 'де', 'windows-1251'],
    ['UTF-16BE', '\ue4e5', 'utf-16be'],
  ])
    t.same(await read(bytes, { charset }), { text, encoding });
  t.same(await read('<?xml version="1.0" encoding="koi8-r"?>é', { charset: 'utf-8' }), {
    text: '<?xml version="1.0" encoding="koi8-r"?>é',
    encoding: 'utf-8',
  });
});

t.test('a charset that is unknown or does not fit is refused', async (t) => {
  const refused = { expose: true, statusCode: 400 };
  await t.rejects(read('a', { charset: 'klingon' }), {
    ...refused,
    message: /no encoding "klingon"; name the/,
  });
  for (const [charset, bytes] of [
    ['utf-8', latin1('é')],
    ['shift_jis', Uint8Array.of(0x41, 0x81)],
    ['utf-16le', Uint8Array.of(0x41)],
    ['utf-16le', Uint8Array.of(0x00, 0xd8)],
    ['us-ascii', latin1('é')],
  ] as const)
    await t.rejects(read(bytes, { charset }), {
      ...refused,
      message: /is not valid .* charset of the request says/,
    });
});

t.test('a byte order mark is believed, and no part of the text', async (t) => {
  const text = 'é\r\n😀\ufeff';
  const mark = '\ufeff';
  for (const [bytes, encoding] of [
    [new TextEncoder().encode(mark + text), 'utf-8'],
    [utf16le(mark + text), 'utf-16le'],
    [utf16be(mark + text), 'utf-16be'],
  ] as const) {
    t.same(await read(bytes), { text, encoding });
    t.same(await read(bytes, { charset: 'koi8-r' }), { text, encoding }, 'also against the request');
  }
  await t.rejects(read(Uint8Array.of(0xff, 0xfe, 0x41)), {
    statusCode: 400,
    message: /byte order mark says/,
  });
  for (const utf32 of [Uint8Array.of(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0), Uint8Array.of(0, 0, 0xfe, 0xff)])
    await t.rejects(read(utf32), { statusCode: 400, message: /UTF-32; save it as UTF-8/ });
});

t.test('UTF-16 without a mark is seen by its bytes NUL', async (t) => {
  const text = 'Līga and Ā,1\r\nž,2\r\n';
  t.same(await read(utf16le(text)), { text, encoding: 'utf-16le' });
  t.same(await read(utf16be(text)), { text, encoding: 'utf-16be' });
  const [russian] = TEXTS[3] ?? [''];
  t.same(await read(utf16be(russian)), { text: russian, encoding: 'utf-16be' });
});

t.test('what a document declares is tried first', async (t) => {
  for (const [head, more] of [
    ['<meta charset=koi8-r>', {}],
    ["<!doctype html><html><head><META  CharSet='KOI8-R' />", {}],
    ['<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', {}],
    ['<!-- <meta charset="utf-8"> --><meta name="a" content="b"><meta charset="koi8-r">', {}],
    ['text <meta charset="koi8-r">', { mediaType: 'text/html' }],
    ['text <meta charset="koi8-r">', { name: 'a.HTM' }],
    ['<?xml version="1.0" encoding="koi8-r"?>', {}],
    ['@charset "koi8-r";', {}],
    ['# -*- coding: koi8-r -*-\n', {}],
    ['#!/usr/bin/python\n# vim: set fileencoding=koi8-r :\n', {}],
  ] as const) {
    const whole = `${head}\u2500`;
    t.same(await read(encode(whole, 'koi8-r'), more), { text: whole, encoding: 'koi8-r' });
  }
});

t.test('what a document declares counts only where it fits', async (t) => {
  const [text] = TEXTS[3] ?? [''];
  for (const head of ['<meta charset="shift_jis">', '<meta charset="no-such">', '# coding: euc-kr']) {
    const whole = `${head}\n${text.repeat(3)}`;
    t.same(await read(encode(whole, 'windows-1251')), { text: whole, encoding: 'windows-1251' }, head.trim());
  }
  const wide = '<meta charset="utf-16">é!';
  t.same(await read(wide), { text: wide, encoding: 'utf-8' });
});

t.test('ISO-2022-JP is seen by its escapes', async (t) => {
  t.same(await read('a \u001b$B$3$s\u001b(B b'), { text: 'a こん b', encoding: 'iso-2022-jp' });
  t.same(await read('\u001b[1mé\u001b$B'), { text: '\u001b[1mé\u001b$B', encoding: 'utf-8' });
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
    assert.deepEqual(await read(text), { text, encoding: 'utf-8' });
    assert.equal((await read(utf16le(`\ufeff${text}`))).text, text);
  });
  await fc.assert(holds);
});
