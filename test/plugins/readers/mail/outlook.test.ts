import t from 'tap';
import { HERE, read } from './reading-mail.ts';
import { compoundFile, type Folder } from './support/compound-file.ts';

type Value = string | Uint8Array | number | bigint;

/** A folder of properties by id: texts in Unicode, bytes, integers and times (MS-OXMSG 2.4). */
function properties(head: number, values: Readonly<Record<number, Value>>, inner: Folder = {}): Folder {
  const folder: Record<string, Uint8Array | Folder> = {};
  const list: Buffer[] = [Buffer.alloc(head)];
  for (const [id, value] of Object.entries(values)) {
    const name = Number(id).toString(16).toUpperCase().padStart(4, '0');
    const type = { string: 0x1f, object: 0x102, number: 3, bigint: 0x40 }[typeof value as 'string'];
    const entry = Buffer.alloc(16);
    entry.writeUInt16LE(type, 0);
    entry.writeUInt16LE(Number(id), 2);
    if (typeof value === 'number') entry.writeInt32LE(value, 8);
    else if (typeof value === 'bigint') entry.writeBigUInt64LE(value, 8);
    else
      folder[`__substg1.0_${name}${type === 0x1f ? '001F' : '0102'}`] =
        typeof value === 'string' ? Buffer.from(value, 'utf16le') : value;
    list.push(entry);
  }
  return { ...folder, ...inner, '__properties_version1.0': Buffer.concat(list) };
}

const message = (values: Readonly<Record<number, Value>>, inner?: Folder) => properties(32, values, inner);
const readMessage = (folder: Folder) => read(compoundFile(folder));
const SUBJECT = 0x37;
const BODY = 0x1000;
const RTF = 0x1009;
const HTML = 0x1013;
const CODE_PAGE = 0x3fde;
const CLASS = 0x1a;
/** RTF that is not compressed (MS-OXRTFCP 2.1.3.1). */
const stored = (rtf: string) => {
  const head = Buffer.alloc(16);
  head.write('MELA', 8);
  return Buffer.concat([head, Buffer.from(rtf, 'latin1')]);
};

t.test('a message has its sender, recipients, date and attachments', HERE, async (t) => {
  const recipient = (name: string, address: string, kind: number) =>
    properties(8, { 12289: name, 14846: address, 3093: kind });
  const attachment = properties(8, { 14087: 'r.pdf', 14094: 'application/pdf', 14081: Buffer.from('1234') });
  const picture = properties(8, { 14087: 'i.png', 14094: 'image/png', 14098: '1', 14081: Buffer.from('1') });
  const inner = properties(24, { [SUBJECT]: 'Milk', [BODY]: 'more', 66: 'Zoe' });
  const nested = properties(8, { 12289: 'Milk', 14085: 5 }, { '__substg1.0_3701000D': inner });
  const { text, title, metadata, leftOut } = await readMessage(
    message(
      {
        [SUBJECT]: 'Tea',
        [BODY]: 'Hello\r\n# you',
        66: 'Ada',
        23810: 'ada@example.org',
        57: 134_087_940_000_000_000n,
        4149: '<1@example.org>',
      },
      {
        '__recip_version1.0_#00000000': recipient('Bob', 'b@example.org', 1),
        '__recip_version1.0_#00000001': recipient('c@example.org', 'c@example.org', 2),
        '__attach_version1.0_#00000000': attachment,
        '__attach_version1.0_#00000001': picture,
        '__attach_version1.0_#00000002': nested,
      },
    ),
  );
  t.equal(title, 'Tea');
  t.equal(
    text,
    '# Tea\n\nHello\n\\# you\n\n## Milk\n\nFrom: Zoe\n\nmore\n\nAttachments:\n\n- r.pdf (application/pdf, 4 bytes)',
  );
  t.same(metadata, {
    from: 'Ada <ada@example.org>',
    to: ['Bob <b@example.org>'],
    cc: ['c@example.org'],
    date: '2025-11-28T09:00:00Z',
    message_id: '<1@example.org>',
    attachments: [{ name: 'r.pdf', media_type: 'application/pdf', size: 4 }],
  });
  t.same(leftOut, { attachment: 1, inline_file: 1 });
});

t.test('the body is HTML, HTML in RTF, text, or the text of RTF', HERE, async (t) => {
  const body = async (values: Readonly<Record<number, Value>>) => (await readMessage(message(values))).text;
  const html = Buffer.from('<p>caf\u00e9 <b>page', 'latin1');
  t.equal(await body({ [HTML]: html, [BODY]: 'plain', [CODE_PAGE]: 1252 }), 'caf\u00e9 page');
  const wrapped = String.raw`{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial;}}
{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 caf\'e9 \f1 \'cf\f0  {\*\htmltag84 &amp;} \u8364?\htmlrtf\par not\htmlrtf0
{\*\mhtmltag <no>}{\*\htmltag72 </p>}\htmlrtf }\htmlrtf0 \{x\}}`;
  t.equal(await body({ [RTF]: stored(wrapped), [BODY]: 'plain' }), 'caf\u00e9 \u041f & \u20ac\n\n{x}');
  t.equal(await body({ [RTF]: stored('{\\rtf1 other}'), [BODY]: 'plain' }), 'plain');
  t.equal(await body({ [RTF]: stored('{\\rtf1{\\info x}a\\tab b\\par c}') }), 'a\tb\n\nc');
});

t.test('compressed RTF is decompressed', HERE, async (t) => {
  // The example of MS-OXRTFCP 3.1.
  const compressed = Buffer.from(
    '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0',
    'hex',
  );
  t.equal((await readMessage(message({ [RTF]: compressed }))).text, 'hello world');
});

t.test('encrypted and damaged files are refused', HERE, async (t) => {
  const file = compoundFile(message({ [SUBJECT]: 'Tea', [BODY]: 'Hello' }));
  await t.rejects(readMessage(message({ [CLASS]: 'IPM.Note.SMIME', [SUBJECT]: 'a' })), {
    message: /the message is encrypted; decrypt it in Outlook/,
    statusCode: 400,
  });
  await t.rejects(
    readMessage({ WordDocument: Buffer.from('x') }),
    /an older Office document; save it as \.docx/,
  );
  await t.rejects(read(file.subarray(0, 700)), { message: /is damaged/, statusCode: 400 });
  const looped = Buffer.from(file);
  for (let at = 512; at < 1024; at += 4) looped.writeUInt32LE(1, at);
  await t.rejects(read(looped), { message: /is damaged/, statusCode: 400 });
  const cyclic = Buffer.from(file);
  const directory = 512 * (file.readUInt32LE(48) + 1);
  cyclic.writeUInt32LE(0, directory + 128 + 72);
  await t.rejects(read(cyclic), { message: /is damaged/, statusCode: 400 });
});
