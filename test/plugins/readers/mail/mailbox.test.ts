import t from 'tap';
import { placed } from '../reading.ts';
import { HERE, read } from './reading-mail.ts';

const LINE = 'From ada@example.org Fri Nov 28 10:00:00 2025\n';

t.test('a mailbox has a place for each message', HERE, async (t) => {
  const mailbox = `${LINE}From: a@b\nSubject: One\n\n>From here\n>>From there\nFrom now\n\n${LINE}Subject: Two\n\nend\n`;
  const read_ = await read(mailbox, { name: 'a.mbox' });
  t.same(placed(read_), [
    ['# One\n\nFrom: a@b\n\nFrom here\n>From there\nFrom now', { message: 1 }],
    ['# Two\n\nend', { message: 2 }],
  ]);
  t.same(read_.metadata, { messages: 2 });
});

t.test('a mailbox is found by its name or media type, and its content', HERE, async (t) => {
  const message = 'Subject: One\n\nhi';
  t.equal((await read(`${LINE}${message}`, { name: 'a.eml' })).title, 'One');
  t.equal((await read(message, { name: 'a.mbox' })).title, 'One');
  t.same((await read(`${LINE}${message}`, { mediaType: 'application/mbox' })).metadata, { messages: 1 });
  await t.rejects(read('From ada 2025\nno message', { name: 'a.mbox' }), /a mailbox without messages/);
});

t.test('an encrypted or damaged message is counted, and the others are read', HERE, async (t) => {
  const encrypted = 'Subject: a\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n';
  const deep = Array.from(
    { length: 200 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
  );
  const mailbox = [encrypted, `Subject: b\n${deep.join('')}`, 'Subject: c\n\nhi\n'].map(
    (one) => `${LINE}${one}\n`,
  );
  const { text, leftOut } = await read(mailbox.join(''), { name: 'a.mbox' });
  t.match(text, /^# a\n\n+# c\n\nhi$/);
  t.same(leftOut, { encrypted_message: 1, message: 1 });
});
