import t from 'tap';
import { readXml } from '../../../../plugins/toolkit/markup/xml.ts';
import { openOfficeFile } from '../../../../plugins/toolkit/office/index.ts';
import { linksOf, officeFileOf } from '../office/office-files.ts';
import { zipOf } from '../office/zip-files.ts';

function eventsOf(xml: string | Uint8Array): unknown[] {
  const events: unknown[] = [];
  readXml(Buffer.from(xml), 'a.xml', {
    open: (name, attributes) => events.push([name, { ...attributes }]),
    close: (name) => events.push(`/${name}`),
    text: (text) => events.push(text),
  });
  return events;
}

t.test('elements, attributes and text are read in their order', async (t) => {
  const xml = `<?xml version="1.0"?><!-- <no> --><a:x b = "1 &lt; 2" c:d='"'
    >one &amp; &#128512;&#x41; &unknown;<![CDATA[<two>]]><y/><z a=">"></z></a:x> `;
  const events = [
    ['x', { b: '1 < 2', 'c:d': '"' }],
    'one & 😀A &unknown;',
    '<two>',
    ['y', {}],
    '/y',
    ['z', { a: '>' }],
    '/z',
    '/x',
  ];
  t.same(eventsOf(xml), events);
  t.same(eventsOf(Buffer.from(`\ufeff${xml}`, 'utf16le')), events);
});

t.test('what is not well-formed, has a document type or is too deep is refused', async (t) => {
  const broken = [
    '',
    'x',
    '<a>',
    '</a>',
    '<a></b>',
    '<a b></a>',
    '<a b=c/>',
    '<a b="c/>',
    '<a',
    '< a/>',
    '<!DOCTYPE a><a/>',
    '<a><!--</a>',
    '<1/>',
  ];
  for (const xml of broken)
    t.throws(() => eventsOf(xml), { statusCode: 400, message: /a\.xml is not XML/ }, xml);
  t.throws(() => eventsOf('<a>'.repeat(300)), { statusCode: 400, message: /nested too deeply/ });
  t.equal(eventsOf(`${'<a>'.repeat(256)}${'</a>'.repeat(256)}`).length, 512);
  t.throws(() => eventsOf(Buffer.from([60, 97, 62, 0xff])), { statusCode: 400, message: /not valid utf-8/ });
});

t.test('an Office file says which parts refer to which, and what it is about', async (t) => {
  const properties =
    '<cp:coreProperties><dc:title> Tea </dc:title><dc:creator>Ann</dc:creator><cp:keywords/></cp:coreProperties>';
  const file = openOfficeFile(
    officeFileOf('a/b.xml', {
      '_rels/.rels': linksOf(
        ['1', 'officeDocument', '/a/b.xml'],
        ['2', 'metadata/core-properties', 'core.xml'],
      ),
      'core.xml': properties,
      'a/b.xml': '<b/>',
      'a/_rels/b.xml.rels': linksOf(
        ['x', 'slide', '../c/d.xml'],
        ['y', 'slide', '../../../e.xml'],
        ['z', 'hyperlink', 'https://example.org/'],
      ),
      'a/picture.png': 'x',
    }),
    10_000,
  );
  t.match(file, { main: 'a/b.xml', title: 'Tea' });
  t.same(file.metadata, { authors: ['Ann'] });
  t.same(
    [...file.relationships('a/b.xml')],
    [
      ['x', { type: 'slide', target: 'c/d.xml', isExternal: false }],
      ['y', { type: 'slide', target: 'e.xml', isExternal: false }],
      ['z', { type: 'hyperlink', target: 'https://example.org/', isExternal: true }],
    ],
  );
  t.same([file.has('a/b.xml'), file.has('a/picture.png')], [true, false]);
  t.throws(() => file.part('c/d.xml'), { statusCode: 400, message: /it has no c\/d\.xml/ });
  t.throws(() => openOfficeFile(zipOf([{ name: 'x', data: '' }]), 10), {
    statusCode: 400,
    message: /not an Office file/,
  });
});
