import t from 'tap';
import createReader from '../../../../plugins/readers/pptx/index.ts';
import { problemOfPlaces } from '../../../../server/engine/read/places.ts';
import { between, createRandom } from '../../../support/random.ts';
import {
  deckOf,
  frameXml,
  HOSTILE_DECKS,
  linksOf,
  paragraph,
  shapeOf,
} from '../../toolkit/office/office-files.ts';
import { cellsIn, checkMutated, readAndReports, samplesOf, shareOfWords } from '../office.ts';
import { placed, readWith } from '../reading.ts';

const read = (bytes: Uint8Array) => readWith(createReader, bytes);

for (const { name, bytes, expected } of samplesOf('pptx'))
  t.test(`${name} has the text that docling finds`, async (t) => {
    const { text, places = [] } = await read(bytes);
    t.equal(problemOfPlaces(places, text), undefined);
    // Comments are not read, nor kinds of charts; the text of merged cells is in the first of them.
    const own = expected
      .replace(/^\[author: .*\n?/gm, '')
      .replace(/^(Bar|Line|Other) chart$/gm, '')
      .replace(/\bClass([12])( \| Class\1)+/g, 'Class$1')
      .replace(/(A merged with B) \| \1/, '$1')
      .replace(/^\| R([34]) \| (.*)\n(\| R\1 .*\n)+/gm, (rows) => rows.replace(/\n\| R\d/g, '\n| '));
    t.ok(shareOfWords(own, text) >= 0.98, `${shareOfWords(own, text)}`);
    const found = cellsIn(text);
    t.same(
      [...cellsIn(own)].filter((cell) => !found.has(cell)),
      [],
    );
    const headings = expected.split('\n').filter((line) => line.startsWith('# '));
    t.same(
      text.split('\n').filter((line) => line.startsWith('# ')),
      headings,
    );
  });

t.test(
  'slides follow the presentation; titles come first, blank slides count, hidden ones are said',
  async (t) => {
    const { file, reports } = await readAndReports(
      createReader as never,
      deckOf([
        {
          shapes: [
            shapeOf({ text: ['Free', 'text'], box: [100, 50, 200, 100] }),
            shapeOf({ text: ['The', 'title'], placeholder: 'type="ctrTitle"', box: [0, 0, 1000, 50] }),
            shapeOf({ text: ['7'], placeholder: 'type="sldNum"' }),
          ].join(''),
        },
        { shapes: '' },
        { shapes: shapeOf({ text: ['Last'] }), attributes: ' show="0"' },
      ]),
    );
    t.equal(file.text, '# The title\n\nFree\n\ntext\n\nLast');
    t.same(placed(file), [
      ['The title', { page: 1, box: [0, 0, 1, 0.1] }],
      ['Free\n\ntext', { page: 1, box: [0.1, 0.1, 0.3, 0.3] }],
      ['', { page: 2 }],
      ['Last', { page: 3 }],
    ]);
    t.same(reports, { 'hidden-slides': '1' });
  },
);

const body = (xml: string): string =>
  `<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr/></p:nvSpPr><p:txBody>${xml}</p:txBody></p:sp>`;

t.test('lists, links, line breaks, fields and formulas are in the text', async (t) => {
  const level = (lvl: number, kind: string) => `<a:pPr lvl="${lvl}">${kind}</a:pPr>`;
  const numbered = '<a:buAutoNum type="arabicPeriod"/>';
  const bullet = '<a:buChar char="•"/>';
  const link = (id: string, text: string) =>
    `<a:r><a:rPr><a:hlinkClick r:id="${id}"/></a:rPr><a:t>${text}</a:t></a:r>`;
  const shapes = [
    body(
      paragraph('one', level(0, numbered)) +
        paragraph('deep', level(5, bullet)) +
        paragraph('two', level(0, numbered)) +
        paragraph('', level(0, bullet)) +
        paragraph('plain') +
        paragraph('again', level(0, numbered)),
    ),
    shapeOf({ text: ['of a body'], placeholder: 'idx="1"' }),
    body(`<a:p><a:r><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r></a:p>`),
    body(`<a:p><a:fld type="slidenum"><a:t>9</a:t></a:fld><a:fld type="x"><a:t>kept</a:t></a:fld></a:p>`),
    body(`<a:p>${link('out', 'see [1]')}${link('in', ' slide')}${link('bad', ' script')}</a:p>`),
    body(
      '<a:p><mc:AlternateContent><mc:Choice><a14:m><m:oMath><m:r><m:t>x²</m:t></m:r></m:oMath></a14:m></mc:Choice><mc:Fallback><a:r><a:t>no</a:t></a:r></mc:Fallback></mc:AlternateContent></a:p>',
    ),
  ];
  const { text } = await read(
    deckOf([
      {
        shapes: shapes.join(''),
        links: [
          ['out', 'hyperlink', 'https://example.org/a (b)'],
          ['in', 'slide', 'slide1.xml'],
          ['bad', 'hyperlink', 'javascript:alert(1)'],
        ],
      },
    ]),
  );
  t.equal(
    text,
    [
      '1. one\n    - deep\n2. two\n\nplain\n\n1. again',
      '- of a body',
      'a  \nb',
      'kept',
      '[see \\[1\\]](https://example.org/a%20%28b%29) slide script',
      'x²',
    ].join('\n\n'),
  );
});

t.test('tables, charts, diagrams, pictures and notes are in the text', async (t) => {
  const cell = (text: string) => `<a:tc><a:txBody>${paragraph(text)}</a:txBody></a:tc>`;
  const graphic = (xml: string) =>
    `<p:graphicFrame>${frameXml('p:xfrm', [0, 0, 500, 250])}<a:graphic><a:graphicData>${xml}</a:graphicData></a:graphic></p:graphicFrame>`;
  const points = (...values: readonly string[]) =>
    `<c:strRef><c:strCache>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:strCache></c:strRef>`;
  const series = (name: string, ...values: readonly string[]) =>
    `<c:ser><c:tx>${points(name)}</c:tx><c:cat>${points('2023', '2024')}</c:cat><c:val>${points(...values)}</c:val></c:ser>`;
  const picture = (descr: string) =>
    `<p:pic><p:nvPicPr><p:cNvPr id="1" descr="${descr}"/></p:nvPicPr><p:spPr>${frameXml('a:xfrm', [0, 0, 10, 10])}</p:spPr></p:pic>`;
  const file = await read(
    deckOf(
      [
        {
          shapes: [
            graphic(
              `<a:tbl><a:tr>${cell('a|b')}${cell('c')}</a:tr><a:tr>${cell('')}${cell('d')}</a:tr></a:tbl>`,
            ),
            graphic('<c:chart r:id="c"/>'),
            graphic('<dgm:relIds r:dm="d" r:lo="x"/>'),
            picture(''),
            picture('A [red] fox'),
          ].join(''),
          links: [
            ['c', 'chart', '../charts/c.xml'],
            ['d', 'diagramData', '/ppt/diagrams/d.xml'],
            ['n', 'notesSlide', '../notesSlides/n.xml'],
          ],
        },
      ],
      {
        'ppt/charts/c.xml': `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${paragraph('Ducks')}</c:rich></c:tx></c:title><c:plotArea><c:barChart>${series('Fresh', '1', '2')}${series('Salt', '3')}</c:barChart></c:plotArea></c:chart></c:chartSpace>`,
        'ppt/diagrams/d.xml': `<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t>${paragraph('Plan')}</dgm:t></dgm:pt><dgm:pt/><dgm:pt><dgm:t>${paragraph('Do')}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`,
        'ppt/notesSlides/n.xml': `<p:notes><p:cSld><p:spTree>${shapeOf({ text: ['Say', 'this'], placeholder: 'type="body"' })}${shapeOf({ text: ['3'], placeholder: 'type="sldNum"' })}</p:spTree></p:cSld></p:notes>`,
      },
    ),
  );
  const box = [0, 0, 0.5, 0.5];
  t.same(placed(file), [
    ['| a\\|b | c |\n| - | - |\n| | d |', { page: 1, box }],
    ['Ducks\n\n| | Fresh | Salt |\n| - | - | - |\n| 2023 | 1 | 3 |\n| 2024 | 2 | |', { page: 1, box }],
    ['- Plan\n- Do', { page: 1, box }],
    ['![A \\[red\\] fox]()', { page: 1, box: [0, 0, 0.01, 0.02], image: 2 }],
    ['Notes: Say\n\nthis', { page: 1 }],
  ]);
});

t.test('boxes are those of shapes as they are rotated, grouped and inherited', async (t) => {
  const group = (xml: string, turned = '') =>
    `<p:grpSp><p:grpSpPr>${frameXml('a:xfrm', [200, 100, 400, 200], turned, '<a:chOff x="10" y="10"/><a:chExt cx="40" cy="20"/>')}</p:grpSpPr>${xml}</p:grpSp>`;
  const inner = (turned = '') => shapeOf({ text: ['x'], box: [10, 10, 20, 10], turned });
  const boxes = async (shapes: string) => {
    const { places = [] } = await read(deckOf([{ shapes }]));
    return places.map(({ box }) => box);
  };
  // A quarter turn of 200 by 100 about its centre, and one of 45 degrees of a square.
  t.same(await boxes(shapeOf({ text: ['x'], box: [100, 100, 200, 100], turned: ' rot="5400000"' })), [
    [0.15, 0.1, 0.25, 0.5],
  ]);
  t.same(await boxes(shapeOf({ text: ['x'], box: [100, 100, 100, 100], turned: ' rot="2700000"' })), [
    [0.0793, 0.1586, 0.2207, 0.4414],
  ]);
  t.same(await boxes(group(inner())), [[0.2, 0.2, 0.4, 0.4]]);
  t.same(await boxes(group(inner(), ' flipH="1"')), [[0.4, 0.2, 0.6, 0.4]]);
  t.same(await boxes(group(inner(), ' rot="10800000"')), [[0.4, 0.4, 0.6, 0.6]]);
  t.same(await boxes(shapeOf({ text: ['x'], box: [-100, 400, 2000, 400] })), [[0, 0.8, 1, 1]]);
  const nested = `<p:grpSp><p:grpSpPr>${frameXml('a:xfrm', [10, 10, 20, 10], '', '<a:chOff x="0" y="0"/><a:chExt cx="10" cy="10"/>')}</p:grpSpPr>${shapeOf({ text: ['x'], box: [5, 0, 5, 10] })}</p:grpSp>`;
  t.same(await boxes(group(nested)), [[0.3, 0.2, 0.4, 0.4]]);

  const layout = (xml: string) => `<p:sldLayout><p:cSld><p:spTree>${xml}</p:spTree></p:cSld></p:sldLayout>`;
  const { places = [] } = await read(
    deckOf(
      [
        {
          shapes: ['type="title"', 'idx="1"', 'idx="2" type="chart"', 'idx="9"']
            .map((placeholder) => shapeOf({ text: ['x'], placeholder }))
            .join(''),
          links: [['l', 'slideLayout', '../slideLayouts/l.xml']],
        },
      ],
      {
        'ppt/slideLayouts/l.xml': layout(
          shapeOf({ placeholder: 'type="title"' }) +
            shapeOf({ placeholder: 'idx="1"', box: [0, 100, 100, 100] }) +
            shapeOf({ placeholder: 'idx="2" type="chart"' }),
        ),
        'ppt/slideLayouts/_rels/l.xml.rels': linksOf(['m', 'slideMaster', '../slideMasters/m.xml']),
        'ppt/slideMasters/m.xml': layout(
          shapeOf({ placeholder: 'type="title"', box: [0, 0, 500, 50] }) +
            shapeOf({ placeholder: 'type="body" idx="1"', box: [500, 0, 500, 500] }),
        ),
      },
    ),
  );
  t.same(
    places.map(({ box }) => box),
    [[0, 0, 0.5, 0.1], [0, 0.2, 0.1, 0.4], [0.5, 0, 1, 1], undefined],
  );
});

t.test('each text is at a place with its slide and its box', async (t) => {
  const random = createRandom(5);
  for (let round = 0; round < 40; round++) {
    const slides = Array.from({ length: between(random, 1, 6) }, (_, slide) =>
      Array.from({ length: between(random, 0, 6) }, (_, shape) => ({
        text: [`t${slide + 1}x${shape}`],
        box: [
          between(random, 0, 900),
          between(random, 0, 400),
          between(random, 0, 100),
          between(random, 0, 100),
        ] as const,
        ...(random() < 0.3 && { placeholder: random() < 0.5 ? 'type="title"' : 'idx="3"' }),
      })),
    );
    const file = await read(deckOf(slides.map((shapes) => ({ shapes: shapes.map(shapeOf).join('') }))));
    const expected = slides.flatMap((shapes, at): unknown[] => {
      const places = shapes.map(({ text: [text], box: [x, y, cx, cy], placeholder = '' }) => {
        const box = [x / 1000, y / 500, (x + cx) / 1000, (y + cy) / 500].map(
          (edge) => Math.round(edge * 1e4) / 1e4,
        );
        return [placeholder.startsWith('idx') ? `- ${text}` : text, { page: at + 1, box }] as const;
      });
      return places.length === 0 ? [['', { page: at + 1 }] as const] : places;
    });
    const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort();
    t.same(sorted(placed(file)), sorted(expected));
    t.equal(problemOfPlaces(file.places ?? [], file.text), undefined);
  }
});

t.test('what is not a presentation is refused, and damaged ones are read or refused', async (t) => {
  await t.rejects(read(Buffer.from('x')), { statusCode: 400, message: /not a zip/ });
  await t.rejects(read(deckOf([{ shapes: '<p:sp>' }])), { statusCode: 400, message: /not XML/ });
  const shapes = shapeOf({ text: ['Some text'], box: [1, 2, 3, 4], placeholder: 'type="title"' });
  await checkMutated(t, createReader, deckOf([{ shapes }, { shapes: '' }]), 500);
});

t.test('hostile presentations are refused, or read to a text of bounded length', async (t) => {
  for (const [name, make] of Object.entries(HOSTILE_DECKS)) {
    const bytes = make();
    const outcome = await read(bytes).catch((error) => error);
    if (outcome instanceof Error) t.match(outcome, { statusCode: 400 }, name);
    else t.ok(outcome.text.length < 8_000_000, `${name}: ${outcome.text.length}`);
  }
});
