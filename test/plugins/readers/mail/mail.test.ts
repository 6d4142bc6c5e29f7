import t from 'tap';
import { HERE, multipart, read } from './reading-mail.ts';

const HEAD = 'From: Ada <ada@example.org>\nSubject: Tea\n';
const message = (rest: string) => read(`${HEAD}MIME-Version: 1.0\n${rest}`);
const textOf = async (rest: string) => (await message(rest)).text.replace(/^# Tea\n*/, '');
const HTML = 'Content-Type: text/html; charset=utf-8';
const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64');

t.test('the header is metadata, and the subject the title', HERE, async (t) => {
  const { title, metadata, mediaType } = await read(
    [
      'From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>',
      'To: "Lovelace, \\"A\\"" <a@example.org>, b@example.org,\n <c@example.org>',
      'Cc: Friends: d@example.org',
      'Subject: =?iso-8859-1?Q?caf=E9?=\n =?iso-8859-1?Q?_au_lait?= =?utf-8?B?8J+N?=\n =?utf-8?B?tQ==?= =?x-none?Q?=FF?=',
      'Date: Fri, 28 Nov 2025 10:00:00 +0100 (CET)',
      'Message-ID: <1@example.org>',
      'In-Reply-To: <0@example.org>',
      '',
      'Hello',
    ].join('\n'),
  );
  t.equal(title, 'caf\u00e9 au lait\u{1f375}=?x-none?Q?=FF?=');
  t.equal(mediaType, 'text/markdown');
  t.same(metadata, {
    from: 'J\u00fcrgen <j@example.org>',
    to: ['Lovelace, "A" <a@example.org>', 'b@example.org', 'c@example.org'],
    cc: ['Friends: d@example.org'],
    date: '2025-11-28T09:00:00Z',
    message_id: '<1@example.org>',
    in_reply_to: '<0@example.org>',
  });
});

t.test('bytes of a header that are not UTF-8 have the encoding that is detected', HERE, async (t) => {
  const subject =
    '\u041f\u0440\u0438\u0432\u0435\u0442, \u043f\u043e\u0433\u043e\u0434\u0430 \u0441\u0435\u0433\u043e\u0434\u043d\u044f \u0445\u043e\u0440\u043e\u0448\u0430\u044f';
  const bytes = subject.replace(/[\u0410-\u044f]/g, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) - 0x350),
  );
  t.equal((await read(`Subject: ${bytes}\nFrom: a@b\n\nx`)).title, subject);
});

t.test(
  'bytes of a header that are not UTF-8 have the encoding of the text, if they fit it',
  HERE,
  async (t) => {
    const subject = `Subject: \u00a4\u00a4\u00a4\u00e5\nFrom: a@b\n`;
    t.equal((await read(`${subject}Content-Type: text/plain; charset=big5\n\nx`)).title, '\u4e2d\u6587');
    const parts = multipart('mixed', [{ head: 'Content-Type: text/plain; charset=gb2312', body: 'x' }]);
    t.equal((await read(`${subject}${parts}`)).title, '\u3044\u3085');
  },
);

t.test('plain text keeps its lines and quotations', HERE, async (t) => {
  t.equal(await textOf('\n> said\n# no heading\n- item\n<a>\n\n\n'), '> said\n\\# no heading\n- item\n\\<a>');
  const flowed =
    'Content-Type: text/plain; format=flowed\n\nlong \nline\n> quoted \n> more\n-- \nAda\n From here';
  t.equal(await textOf(flowed), 'long line\n> quoted more\n\\--\nAda\nFrom here');
  t.equal(await textOf('Content-Type: text/plain; format=flowed; delsp=yes\n\nlo \nng'), 'long');
  t.equal(await textOf('Content-Type: text/enriched\n\n<bold>a</bold> <<b'), 'a <b');
});

t.test('transfer encodings are decoded', HERE, async (t) => {
  const encoded = (encoding: string, body: string) =>
    textOf(`Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${body}`);
  t.equal(
    await encoded('quoted-printable', 'caf=C3=A9 =\nis =  \r\ngood=\n=3D 1=2'),
    'caf\u00e9 is good= 1=2',
  );
  t.equal(await encoded('BASE64', `${base64('ab')}\n${base64('caf\u00e9')}*!`), 'abcaf\u00e9');
  t.equal(await encoded('x-uuencode', 'begin 644 a\n#0V%T\n`\nend\n'), 'Cat');
  t.equal(await encoded('8bit', 'caf\u00c3\u00a9'), 'caf\u00e9');
});

t.test('a charset that is wrong or missing is found', HERE, async (t) => {
  const body = (charset: string, bytes: string) => textOf(`Content-Type: text/plain${charset}\n\n${bytes}`);
  const german =
    'Gr\u00fc\u00dfe aus K\u00f6ln, sch\u00f6ne T\u00f6ne und \u00c4pfel f\u00fcr \u00d6sterreich';
  const utf8 = Buffer.from(german).toString('latin1');
  for (const charset of [
    '; charset=iso-8859-1',
    '; charset=us-ascii',
    '',
    '; charset=no-such',
    '; charset=utf-16',
  ])
    t.equal(await body(charset, utf8), german, charset);
  t.equal(await body('; charset=utf-8', german), german);
  t.equal(await body('; charset="iso-8859-1"', german), german);
  t.equal(await body('; charset=utf-7', 'caf+AOk- +-'), 'caf\u00e9 +');
  t.equal(await body('; charset=iso-2022-jp', '\u001b$B%F\u001b(B\u001b$B%9\u001b(B'), '\u30c6\u30b9');
  const { text, reports } = await message(`Content-Type: text/plain; charset=utf-8\n\n${utf8}\u00ff`);
  t.match(text, /\u00d6sterreich\u00ff$/);
  t.match(Object.fromEntries(reports), {
    'source-encoding-inferred': 'true',
    'source-encoding-confidence': /^0\.\d\d$/,
    'source-odd-bytes': '1',
  });
  t.equal(
    await textOf(`Content-Type: text/html; charset=us-ascii\n\n<p>${utf8}`),
    german,
    'HTML in UTF-8 that claims to be ASCII',
  );
});

t.test('of several representations HTML is taken, unless it is blank', HERE, async (t) => {
  const plain = { body: 'plain' };
  const html = { head: HTML, body: '<p>a <b>page' };
  t.equal(await textOf(multipart('alternative', [plain, html])), 'a page');
  t.equal(await textOf(multipart('alternative', [html, plain])), 'a page');
  t.equal(await textOf(multipart('alternative', [plain, { head: HTML, body: '<p> ' }])), 'plain');
  const related = multipart('related', [
    html,
    { head: 'Content-Type: image/png\nContent-ID: <1>', body: 'x' },
    { head: 'Content-Type: image/png; name=b.png', body: 'x' },
  ]);
  const [head = '', ...body] = related.split('\n\n');
  const { text, leftOut } = await message(
    multipart('alternative', [plain, { head, body: body.join('\n\n') }]),
  );
  t.equal(text, '# Tea\n\na page\n\nAttachments:\n\n- b.png (image/png, 1 bytes)');
  t.same(leftOut, { inline_file: 1, attachment: 1 });
});

t.test('attachments are listed and counted', HERE, async (t) => {
  const file = (head: string, body = 'AAAA\nAA==') => ({
    head: `${head}\nContent-Transfer-Encoding: base64`,
    body,
  });
  const { text, leftOut, metadata } = await message(
    multipart('mixed', [
      { body: 'see below' },
      file(
        'Content-Type: application/pdf; name="old.pdf"\nContent-Disposition: attachment; filename="r|1.pdf"',
      ),
      file(
        'Content-Type: text/plain\nContent-Disposition: attachment; filename*0*=utf-8\'\'caf%C3; filename*1*=%A9; filename*2=".txt"',
      ),
      file('Content-Type: application/ms-tnef; name=winmail.dat'),
    ]),
  );
  t.equal(
    text,
    '# Tea\n\nsee below\n\nAttachments:\n\n- r|1.pdf (application/pdf, 4 bytes)\n- caf\u00e9.txt (text/plain, 4 bytes)\n- winmail.dat (application/ms-tnef, 4 bytes)',
  );
  t.same(leftOut, { attachment: 2, winmail_dat: 1 });
  const { attachments } = metadata as { attachments: readonly object[] };
  t.same(attachments[1], { name: 'caf\u00e9.txt', media_type: 'text/plain', size: 4 });
});

t.test('messages within messages are read', HERE, async (t) => {
  const inner = `From: z@example.org\nTo: y@example.org\nSubject: Milk\nDate: 1 Jan 99 00:00 EST\n\nmore`;
  const expected =
    '# Tea\n\nhi\n\n## Milk\n\nFrom: z@example.org\nTo: y@example.org\nDate: 1999-01-01T05:00:00Z\n\nmore';
  for (const head of ['message/rfc822', 'message/rfc822\nContent-Disposition: attachment; filename=a.eml'])
    t.equal(
      (await message(multipart('mixed', [{ body: 'hi' }, { head: `Content-Type: ${head}`, body: inner }])))
        .text,
      expected,
    );
  const digest = multipart('digest', [{ body: inner }]);
  t.match((await message(digest)).text, /\n## Milk\n/);
  const piece = (number: number) =>
    textOf(`Content-Type: message/partial; id=x; number=${number}; total=2\n\n${inner}`);
  t.match(await piece(1), /^## Milk\n.*\n\nmore$/s);
  t.notMatch(await piece(2), 'more', 'it begins within a body, which may be in base64');
  const report = multipart('report', [
    { body: 'failed' },
    { head: 'Content-Type: message/delivery-status', body: 'Action: failed\n\nStatus: 5.1.1' },
  ]);
  t.equal(await textOf(report), 'failed\n\nAction: failed\n\nStatus: 5.1.1');
});

t.test('an appointment has its facts', HERE, async (t) => {
  const calendar = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'SUMMARY:Tea\\, with',
    '  milk',
    'DTSTART;TZID="Europe/Berlin":20251128T100000',
    'DTEND:20251128T100000Z',
    'ORGANIZER;CN=Ada:mailto:ada@example.org',
    'ATTENDEE:mailto:b@example.org',
    'DESCRIPTION:Please come\\nto tea',
    'BEGIN:VALARM',
    'DESCRIPTION:no',
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\n');
  const facts =
    '- Summary: Tea, with milk\n- Start: 2025-11-28 10:00 (Europe/Berlin)\n- End: 2025-11-28 10:00 UTC\n- Organizer: Ada <ada@example.org>\n- Attendees: b@example.org';
  const part = { head: 'Content-Type: text/calendar; method=REQUEST', body: calendar };
  t.equal(await textOf(multipart('mixed', [part])), `${facts}\n- Description: Please come\n  to tea`);
  t.equal(
    await textOf(multipart('alternative', [{ body: 'Please come to tea!' }, part])),
    `Please come to tea!\n\n${facts}`,
  );
});

t.test('signed messages are read, encrypted ones are refused', HERE, async (t) => {
  const signed = multipart('signed', [
    { body: 'signed' },
    { head: 'Content-Type: application/pgp-signature; name=s.asc', body: 'x' },
  ]);
  t.same((await message(signed)).leftOut, { signature: 1 });
  t.equal(await textOf(signed), 'signed');
  const content = Buffer.from('Content-Type: text/plain\n\nwithin');
  const tlv = (tag: number, ...parts: readonly Uint8Array[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag, body.length]), body]);
  };
  const oid = (hex: string) => tlv(6, Buffer.from(hex, 'hex'));
  const data = tlv(0x30, oid('2a864886f70d010701'), tlv(0xa0, tlv(4, content)));
  const info = (type: string) =>
    tlv(0x30, oid(type), tlv(0xa0, tlv(0x30, tlv(2, Buffer.from([1])), tlv(0x31), data)));
  const smime = (bytes: Uint8Array) =>
    `Content-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\n${base64(bytes)}`;
  t.equal(await textOf(smime(info('2a864886f70d010702'))), 'within');
  const armour = '-----BEGIN PGP MESSAGE-----\n\nabc\n-----END PGP MESSAGE-----\n';
  for (const encrypted of [
    multipart('encrypted', [{ body: 'Version: 1' }]),
    smime(info('2a864886f70d010703')),
    `\n${armour}`,
  ])
    await t.rejects(message(encrypted), {
      message: /is encrypted \((?:PGP|S\/MIME|PGP\/MIME)\); decrypt/,
      statusCode: 400,
    });
  const forwarded = multipart('mixed', [
    { body: 'hi' },
    { head: 'Content-Type: message/rfc822', body: `Subject: secret\n${smime(info('2a864886f70d010703'))}` },
  ]);
  const { text, leftOut } = await message(forwarded);
  t.equal(text, '# Tea\n\nhi\n\n## secret');
  t.same(leftOut, { encrypted_message: 1 });
});

t.test('messages may be damaged', HERE, async (t) => {
  t.equal(await textOf('Content-Type: multipart/mixed; boundary=b\n\nno parts'), 'no parts');
  t.equal(
    await textOf('Content-Type: multipart/mixed; boundary=b\n\npre\n--b\n\none\n--b \n\ntwo'),
    'one\n\ntwo',
  );
  t.equal(
    await textOf('Content-Type: multipart/mixed; boundary="b:c"\n\n--b:c\n--b:c\n\none\n--b:c--\nend'),
    'one',
  );
  t.equal((await read(`\n${' '.repeat(300)}\n${HEAD}\nhi`)).text, '# Tea\n\nhi');
  t.equal((await read(Buffer.from(`\ufeff${HEAD}\nhi`, 'utf16le'))).text, '# Tea\n\nhi');
  const bytes = `${HEAD}\nhi`;
  t.equal((await read(`${bytes.length}\n${bytes}<?xml ?>`, { name: 'a.emlx' })).text, '# Tea\n\nhi');
  for (const other of ['', 'plain text', 'note: this\n\nis none'])
    await t.rejects(read(other), { message: /it is not an e-mail/, statusCode: 400 });
});
