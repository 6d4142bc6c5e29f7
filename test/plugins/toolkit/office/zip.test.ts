import { deepEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { unzip } from '../../../../plugins/toolkit/office/zip.ts';
import { type ZipEnd, type ZipEntry, zipOf } from './zip-files.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/zips');
const all = (): boolean => true;
const unzipped = (zip: Uint8Array, most = 1e6): Record<string, string> =>
  Object.fromEntries([...unzip(zip, all, most)].map(([path, data]) => [path, Buffer.from(data).toString()]));
const refused = (message: RegExp) => ({ statusCode: 400, expose: true, message });
const DAMAGED = refused(/^The file cannot be read: it is damaged \(/);

const TEA: ZipEntry = { name: 'tea.txt', data: 'Boil, pour and wait. '.repeat(20) };
const CUP: ZipEntry = { name: 'deep/tüte.txt', data: 'Cup.', isStored: true };

t.test('zips of other writers: stored, deflated, streamed, with numbers of 64 bits', (t) => {
  for (const name of readdirSync(FOLDER).filter((name) => name.endsWith('.zip'))) {
    const files = unzip(readFileSync(join(FOLDER, name)), (path) => !path.endsWith('/'), 1e6);
    t.same([...files.keys()].sort(), ['a.txt', 'deep/bü.txt', 'empty.txt'], name);
    t.equal(Buffer.from(files.get('a.txt') ?? []).toString(), 'apple '.repeat(200), name);
    t.same(
      [...(files.get('deep/bü.txt') ?? [])],
      Array.from({ length: 256 }, (_, byte) => byte),
      name,
    );
    t.equal(files.get('empty.txt')?.length, 0, name);
  }
  t.end();
});

t.test('any files come out as they went in, and only the wanted ones', (t) => {
  const name = fc.stringMatching(/^[a-zé/]{1,12}$/);
  const entry = fc.record({ name, data: fc.uint8Array(), isStored: fc.boolean(), isWide: fc.boolean() });
  const entries = fc.uniqueArray(entry, { selector: (one) => one.name, maxLength: 8 });
  fc.assert(
    fc.property(entries, fc.string({ unit: 'binary-ascii' }), (entries, comment) => {
      const wanted = entries.filter((_, index) => index % 2 === 0);
      const names = new Set(wanted.map((one) => one.name));
      const files = unzip(zipOf(entries, { comment }), (path) => names.has(path), 1e6);
      deepEqual(
        [...files].map(([path, data]) => [path, [...data]]),
        wanted.map((one) => [one.name, [...one.data]]),
      );
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test('a part of a zip is an error, wherever it was cut off', (t) => {
  const zip = zipOf([TEA, CUP]);
  for (let length = 0; length < zip.length; length++)
    if (accepted(zip.subarray(0, length)) !== undefined) t.fail(`${length} of ${zip.length} bytes`);
  t.same(unzipped(zip), { 'tea.txt': TEA.data, 'deep/tüte.txt': CUP.data });
  t.end();
});

t.test('a zip with one changed byte is an error, or the same files', (t) => {
  const zip = zipOf([TEA, CUP]);
  const contents = new Set([TEA.data, CUP.data]);
  for (const change of [1, 0x80, 0xff])
    for (let at = 0; at < zip.length; at++) {
      const changed = Buffer.from(zip);
      changed[at] = (changed[at] as number) ^ change;
      const files = accepted(changed);
      const hasChanged = files && (files.length !== 2 || files.some((data) => !contents.has(data)));
      if (hasChanged) t.fail(`byte ${at} is ${changed[at]}: ${JSON.stringify(files)}`);
    }
  t.end();
});

/** The contents of a zip's files, or nothing if it is refused. Any other error fails. */
function accepted(zip: Uint8Array): string[] | undefined {
  try {
    return Object.values(unzipped(zip));
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 400) throw error;
    return undefined;
  }
}

t.test('a file that is longer or shorter than the zip says is an error, not cut off', (t) => {
  const size = TEA.data.length;
  for (const isStored of [true, false])
    for (const lie of [{ size: 0 }, { size: size - 1 }, { size: size + 1 }, { packed: 5 }, { packed: 9e5 }])
      t.throws(() => unzipped(zipOf([{ ...TEA, isStored, ...lie }])), DAMAGED, JSON.stringify(lie));
  t.throws(() => unzipped(zipOf([{ ...TEA, checksum: 1 }])), DAMAGED, 'and so is one that was changed');
  const raw = deflateRawSync(Buffer.alloc(1e6));
  const unpacked = refused(/bomb: Cannot create a Buffer larger than 10 bytes/);
  t.throws(() => unzipped(zipOf([{ name: 'bomb', data: '', raw, size: 10 }])), unpacked, 'at once');
  t.end();
});

t.test('a directory with another count, length or beginning is an error', (t) => {
  for (const end of [
    ...[{ count: 0 }, { count: 1 }, { count: 3 }, { count: 65_535 }],
    ...[{ length: 0 }, { length: 60 }, { length: 4e9 }],
    ...[{ directory: 0 }, { directory: 1e6 }, { directory: 0xffffffff }],
  ] satisfies ZipEnd[])
    t.throws(() => unzipped(zipOf([TEA, CUP], end)), DAMAGED, JSON.stringify(end));
  const changed = zipOf([TEA, CUP]);
  changed[changed.lastIndexOf('PK\u0001\u0002') + 3] = 9;
  t.throws(() => unzipped(changed), DAMAGED, 'an entry that is not one');
  t.throws(() => unzipped(zipOf([TEA, CUP, TEA])), refused(/it has tea\.txt twice/));
  t.throws(() => unzipped(zipOf([TEA, { ...CUP, at: 5 }])), DAMAGED, 'an entry that begins elsewhere');
  t.throws(() => unzipped(zipOf([TEA, { ...CUP, at: 4e9, isWide: true }])), DAMAGED);
  t.end();
});

t.test('entries over the same bytes are each what they say, within the limit of all', (t) => {
  const over = Array.from({ length: 100 }, (_, index): ZipEntry => ({ ...TEA, name: `${index}`, at: 0 }));
  const zip = zipOf(over.map((entry, index) => (index === 0 ? entry : { ...entry, raw: Buffer.alloc(0) })));
  t.throws(() => unzipped(zip), DAMAGED, 'their packed sizes differ');
  const packed = zipOf([TEA]).readUInt32LE(18);
  const same = over.map((entry, index) => ({ ...entry, packed, ...(index > 0 && { raw: Buffer.alloc(0) }) }));
  t.same(new Set(Object.values(unzipped(zipOf(same)))), new Set([TEA.data]));
  t.throws(() => unzipped(zipOf(same), TEA.data.length * 100 - 1), refused(/unpacks to more than/));
  t.end();
});

t.test('what is too large in all is refused before anything is unpacked', (t) => {
  const broken: ZipEntry = { name: 'broken', data: 'x', raw: Buffer.from('not deflated') };
  const large: ZipEntry = { name: 'large', data: '', size: 1001 };
  t.throws(
    () => unzipped(zipOf([broken, large]), 1001),
    refused(/^The file .*: it unpacks to more than 1001 bytes/),
  );
  t.same([...unzip(zipOf([TEA, large]), (path) => path === 'tea.txt', 1000).keys()], ['tea.txt'], 'unwanted');
  const wide: ZipEntry = { name: 'wide', data: 'x', size: Number.MAX_SAFE_INTEGER, isWide: true };
  t.throws(() => unzipped(zipOf([wide])), refused(/more than/));
  t.end();
});

t.test('what is no zip, has a password or another compression says so', (t) => {
  const no = refused(/it is not a zip file, or not all of one/);
  for (const bytes of ['', 'text', 'PK\u0005\u0006', `PK\u0003\u0004${'x'.repeat(99)}`])
    t.throws(() => unzipped(Buffer.from(bytes)), no, bytes);
  t.throws(() => unzipped(zipOf([{ ...TEA, flags: 1 }])), refused(/encrypted; save it without a password/));
  t.throws(() => unzipped(zipOf([{ ...TEA, method: 14 }])), refused(/tea\.txt is packed in a way that/));
  const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
  t.throws(() => unzipped(compound), refused(/it has a password, or is of a format older than its name/));
  t.end();
});
