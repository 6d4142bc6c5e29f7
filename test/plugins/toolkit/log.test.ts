import t from 'tap';
import { findLogEntries } from '../../../plugins/toolkit/log.ts';

/** Beginnings of entries, as programs write them. */
const DATED = [
  '2026-11-27 22:50:39,123 INFO tea',
  '2026-11-27T22:50:39.123456Z [main] INFO tea',
  '[2026-11-27T22:50:39,123][WARN ][o.e.x] tea',
  '[2026-11-27 22:50:39 +0000] [7] [INFO] tea',
  '2026/11/27 22:50:39 main.go:12: tea',
  '20261127-22:50:9:606|tea',
  '27.11.2026 22:50:39 tea',
  '26/11/27 22:50:39 INFO tea.Kettle: boils',
  '11/27/2026 10:50:39 PM tea',
  '11-27 22:50:39.811  1702  2395 D Kettle: boils',
  '261127 225039 148 INFO tea.Kettle: boils',
  '261127  2:50:39 [Note] tea',
  'Nov 27 22:50:39 host sshd[7]: tea',
  'Nov  7 22:50:39 host kernel: tea',
  '<34>Nov 27 22:50:39 host su: tea',
  '<165>1 2026-11-27T22:50:39Z host app - - - tea',
  'Nov 27, 2026 10:50:39 PM com.example.Tea boil',
  '[Fri Nov 27 22:50:39 2026] [error] tea',
  'Fri, 27 Nov 2026 22:50:39 GMT tea',
  '7:M 27 Nov 2026 22:50:39.123 * tea',
  '27-Nov-2026 22:50:39.123 INFO [main] tea',
  '192.0.2.7 - ada [27/Nov/2026:22:50:39 +0000] "GET / HTTP/1.1" 200 5',
  'I1127 22:50:39.123456    7 main.go:12] tea',
  '[    0.123456] Linux tea',
  '1795819839.123   5006 192.0.2.7 TCP_MISS/200',
  '1795819839123 tea',
  'time="2026-11-27T22:50:39Z" level=info msg=tea',
  'level=info ts=2026-11-27T22:50:39.123Z caller=main.go:12 msg=tea',
  'INFO: 2026-11-27 22:50:39 tea',
  'I, [2026-11-27T22:50:39.123456 #7]  INFO -- : tea',
  'web_1  | 2026-11-27T22:50:39Z tea',
  '- 1795819839 2026.11.27 R02-M1 2026-11-27-22.50.39.675872 R02-M1 RAS KERNEL INFO tea',
  '# Time: 2026-11-27T22:50:39.677222Z',
  '\u001b[2m2026-11-27T22:50:39.123Z\u001b[0m \u001b[32m INFO\u001b[0m tea',
];
const UNDATED = [
  '22:50:39.123 [main] INFO tea',
  '[22:50:39] tea',
  '[I 22:50:39.123 TeaApp] tea',
  'INFO:root:tea',
  '[ERROR] tea',
  'WARN  tea',
  'E/Kettle( 7): boils',
  '7 verbose cli tea',
  '{"level":30,"msg":"tea"}',
];
/** What follows in the same entry. */
const REST = [
  '\tat com.example.Tea.boil(Tea.java:7)\nCaused by: java.io.IOException: 2026-11-27 22:50:39\n\t... 7 more\n',
  'Traceback (most recent call last):\n  File "tea.py", line 7, in boil\n    raise ValueError(7)\nValueError: 7\n',
  'panic: no water\n\ngoroutine 1 [running]:\nmain.main()\n\t/tea/main.go:7 +0x1d\n',
  '  2026-11-27 22:50:39 is indented\nEnd-Date: 2026-11-27  22:50:39\n',
];

for (const [index, first] of [...DATED, ...UNDATED].entries()) {
  const entries = REST.map((rest) => `${first}\n${rest}`);
  const text = entries.join('');
  const found = findLogEntries(text);
  const starts = entries.map((_, at) => entries.slice(0, at).join('').length);
  t.same(
    found.map(({ start }) => start),
    starts,
    first,
  );
  t.equal(found[0]?.isDated, index < DATED.length, first);
  const crlf = findLogEntries(text.replaceAll('\n', '\r\n'));
  t.equal(crlf.length, entries.length, `${first}, with CRLF`);
}

t.test('levels and times of day begin no entry of a log with dates', async (t) => {
  const entry = 'Nov 27, 2026 10:50:39 PM com.example.Tea boil\nINFO: tea\n10:50:40 is a time\n';
  t.equal(findLogEntries(entry.repeat(5)).length, 5);
  const entryOfDay = '22:50:39.123 [main] INFO tea\nERROR is a word\n';
  t.equal(findLogEntries(`Started on 2026-11-27 22:50:39\n${entryOfDay.repeat(5)}`).length, 5);
});

t.test('texts without entries have none', async (t) => {
  for (const text of [
    '',
    'Tea.\n',
    'Date: Fri, 27 Nov 2026 22:50:39 +0000\n',
    ' 2026-11-27 22:50:39\n',
    '2026-11-27\n',
  ])
    t.same(findLogEntries(text), [], text);
});
