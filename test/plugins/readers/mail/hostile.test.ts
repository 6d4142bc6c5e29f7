import t from 'tap';
import { HERE, read } from './reading-mail.ts';

/** Messages that take long, much memory or many calls if a reader is careless. Each is refused, or read at once. */

const HEAD = 'From: a@b\nSubject: s\n';
const repeated = (text: string, count: number) => text.repeat(count);
const nested = Array.from(
  { length: 100_000 },
  (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
);

const REFUSED: Readonly<Record<string, readonly [source: string, reason: RegExp]>> = {
  'multiparts in multiparts': [HEAD + nested.join(''), /nested too deeply/],
  'the same boundary again': [
    HEAD + repeated('Content-Type: multipart/mixed; boundary=b\n\n--b\n', 1000),
    /nested too deeply/,
  ],
  'very many parts': [
    `${HEAD}Content-Type: multipart/mixed; boundary=b\n\n${repeated('--b\n\n', 60_000)}`,
    /more than 50000 parts/,
  ],
  'a giant field': [`Subject: ${repeated('x', 3_000_000)}`, /a header takes more than/],
  'a giant folded field': [`Subject: a\n${repeated(' b\n', 1_000_000)}`, /a header takes more than/],
  'very many fields': [repeated('Subject: a\n', 300_000), /a header takes more than/],
  'a giant boundary': [
    `${HEAD}Content-Type: multipart/mixed; boundary=${repeated('b', 2000)}\n\n`,
    /boundary .* too long/,
  ],
};

for (const [name, [source, message]] of Object.entries(REFUSED))
  t.test(`${name} is refused`, HERE, async (t) => {
    await t.rejects(read(source), { message, statusCode: 400 });
  });

const READ: Readonly<Record<string, string>> = {
  'words that are never closed': `Subject: ${repeated('=?utf-8?q?a', 100_000)}\nFrom: a\n\nx`,
  'quotations that are never closed': `From: a\nTo: ${repeated('"\\', 300_000)}${repeated('<', 300_000)}${repeated('(', 300_000)}\n\nx`,
  'parameters that are never closed': `${HEAD}Content-Type: text/plain${repeated(';a="\\', 200_000)}\n\nx`,
  'continued parameters': `${HEAD}Content-Type: text/plain${repeated(';a*1=b', 100_000)}\n\nx`,
  'lines like delimiters': `${HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n\n${repeated('--bb\n', 100_000)}`,
  'soft breaks without a line break': `${HEAD}Content-Transfer-Encoding: quoted-printable\n\n${repeated(`=${repeated(' ', 99)}`, 10_000)}`,
  'blank lines': `${HEAD}\n${repeated(' \n', 500_000)}x`,
  'padding in base64': `${HEAD}Content-Transfer-Encoding: base64\n\n${repeated('QQ=', 300_000)}`,
  'deep quotations': `${HEAD}Content-Type: text/plain; format=flowed\n\n${repeated('>', 500_000)}`,
  'open parameters of enriched text': `${HEAD}Content-Type: text/enriched\n\nx${repeated('<param>', 100_000)}`,
};

for (const [name, source] of Object.entries(READ))
  t.test(`${name} are read in linear time`, { ...HERE, timeout: 20_000 }, async (t) => {
    t.type((await read(source)).text, 'string');
  });

t.test('messages in messages are read to a depth', HERE, async (t) => {
  const deep = repeated(`${HEAD}Content-Type: message/rfc822\n\n`, 300);
  const { text, leftOut } = await read(`${deep}${HEAD}\nx`);
  t.equal(text.match(/# s/g)?.length, 21);
  t.same(leftOut, { nested_message: 1 });
});

t.test('metadata has room for some of very many recipients', HERE, async (t) => {
  const { metadata, leftOut } = await read(`${HEAD}To: ${repeated('someone@example.org,', 50_000)}\n\nx`);
  t.ok(JSON.stringify(metadata).length < 16_384);
  const { to } = metadata as { to: readonly string[] };
  t.same(leftOut, { recipient: 50_000 - to.length });
});
