import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { findLanguage, type Language } from '../../../../../plugins/chunkers/code/languages.ts';
import { createParsers } from '../../../../../plugins/chunkers/code/parsers.ts';
import { CASE, limits, sampleOf, trapping } from '../support/ask.ts';

t.test('memory after many documents is what it was after a few', async (t) => {
  const parsers = await createParsers();
  const python = findLanguage('python') as Language;
  const text = sampleOf('python');
  const parseMany = async (count: number) => {
    for (let index = 0; index < count; index++) await parsers.parse(python, text, limits, () => {});
    return process.memoryUsage().rss;
  };
  const few = await parseMany(1000);
  const many = await parseMany(10_000);
  t.comment(`${few} bytes after 1,000 documents, ${many} after 11,000`);
  t.ok(many - few < 40 * 1024 * 1024);
});

t.test('memory of instances that have trapped is freed', async (t) => {
  const parsers = await createParsers();
  const trap = () => parsers.parse(trapping, CASE, limits, () => {});
  for (let time = 0; time < 60; time++) await t.rejects(trap());
  const { external } = process.memoryUsage();
  t.comment(`${Math.round(external / 1e6)} MB`);
  t.ok(external < 30 * 32e6, 'an instance has 32 MB or more');
});

const skip = process.platform !== 'linux' && 'the peak is read from /proc';
t.test('where memory is short, grammars take little of it at their peak too', { skip }, async (t) => {
  const script = join(import.meta.dirname, '../support/parse-samples.ts');
  const texts = Object.fromEntries(['cpp', 'go', 'kotlin', 'ruby'].map((name) => [name, sampleOf(name)]));
  const { stdout, stderr } = spawnSync(process.execPath, [script, '4e9', JSON.stringify(texts)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
  });
  t.comment(`at most ${stdout.trim()} bytes`);
  t.match(stdout, /^\d+\n$/, stderr);
  t.ok(Number(stdout) < 500e6);
});
