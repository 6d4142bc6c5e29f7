import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openEngine } from '../../../../../server/cli/engine.ts';
import { deriveQuestions, findUnits } from '../../../../../server/corpora/command/tune/derive-questions.ts';
import { kindOf } from '../../../../../server/corpora/command/tune/search.ts';
import { needs } from '../../../../support/here.ts';
import { createRandom } from '../../../../support/random.ts';

/** Questions that are sentences of the documents themselves, on the pages and the code of this repository. */

const ROOT = join(import.meta.dirname, '../../../../..');
const ANY = () => 0.5;

const documentOf = (filename: string, text: string) => ({ id: filename, filename, text });
const read = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .sort()
    .map((path) => documentOf(path, readFileSync(join(ROOT, path), 'utf8')));
const engine = await openEngine({ workers: '0' }, process.env);
t.teardown(() => engine.close());
const unitsOf = (documents: ReturnType<typeof documentOf>[]) =>
  findUnits(documents, engine.cradle, AbortSignal.any([]));
const derive = async (...documents: ReturnType<typeof documentOf>[]) =>
  deriveQuestions(documents, await unitsOf(documents), ANY);

/** Each question with the text that answers it. */
function pairsOf({ documents, questions }: Awaited<ReturnType<typeof derive>>): string[][] {
  return questions.map(({ question, answers }) => [
    question,
    ...answers.map(({ document, start_index, end_index }) =>
      (documents[document]?.text ?? '').slice(start_index, end_index).trim(),
    ),
  ]);
}

t.test('the first sentence of a paragraph with three is taken out, and the rest answers it', async (t) => {
  const rest = 'Black tea takes three minutes. Green tea takes two, in cooler water.';
  const first = 'How long **tea** steeps depends on the [kind of tea](kinds.md). ';
  const text = `# Tea\n\nToo short. A title.\n\n${first}${rest}\n\n- ${first}${rest}\n`;
  const found = await derive(documentOf('tea.md', text));
  const question = 'How long tea steeps depends on the kind of tea.';
  t.same(pairsOf(found), [
    [question, rest],
    [question, rest],
  ]);
  t.same(
    found.questions.map(({ place }) => place),
    ['tea.md:5', 'tea.md:7'],
  );
  t.equal(found.documents[0]?.text, `# Tea\n\nToo short. A title.\n\n${rest}\n\n- ${rest}\n`);
});

t.test(
  'first sentences of comments are taken out of code, and what they document answers them',
  needs('chunker/code'),
  async (t) => {
    const python =
      'def steep(tea, minutes):\n    """Waits until the tea is ready.\n\n    Long.\n    """\n    wait(minutes * 60)\n    return tea.ready()\n\n\nx = 1\n';
    const typescript =
      '/**\n * Heats water to\n * the temperature. Slowly.\n *\n * @param to degrees\n */\nexport function heat(to: number) {\n  return boil(to);\n}\n\nconst a = 1;\n';
    const go =
      '// A remark on its own, which is long.\n\n// Pour pours the tea into a cup.\nfunc Pour(tea Tea) Cup {\n\treturn Cup{tea: tea}\n}\n\nvar x = 1\n';
    const license =
      '/** Copyright 2020 somebody, with all rights reserved. */\nconst a = 1;\nconst b = 2;\nconst c = 3;\n';
    const found = await derive(
      ...[
        ['a.py', python],
        ['b.ts', typescript],
        ['c.go', go],
        ['d.js', license],
      ].map(([name = '', text = '']) => documentOf(name, text)),
    );
    const pairs = pairsOf(found);
    t.same(
      pairs.map(([question]) => question),
      ['Waits until the tea is ready.', 'Heats water to the temperature.', 'Pour pours the tea into a cup.'],
    );
    t.match(pairs[0]?.[1], /return tea\.ready\(\)$/);
    t.match(pairs[1]?.[1], /^Slowly\.\n \*\n \* @param to degrees\n \*\/\nexport function heat[\s\S]*\}$/);
    t.match(pairs[2]?.[1], /^func Pour[\s\S]*\}$/);
    t.equal(found.documents[3]?.text, license, 'nothing else is changed');
  },
);

t.test('on real files, only questions are taken out, and offsets are those of what is left', async (t) => {
  for (const documents of [read('**/*.md'), read('server/**/*.ts'), read('test/training/**/*.py')]) {
    const units = await unitsOf(documents);
    const found = deriveQuestions(documents, units, createRandom(1));
    t.ok(found.questions.length > 0 && found.questions.length <= 400);
    const taken = new Map(documents.map(({ id }) => [id, 0]));
    for (const { question, answers, place } of found.questions) {
      const [{ document, start_index, end_index }] = answers as [(typeof answers)[0]];
      const [before, after] = [documents[document], found.documents[document]];
      const answer = after?.text.slice(start_index, end_index) ?? '';
      if (!before?.text.includes(answer) || answer.length < 40) t.fail(`${place}: ${answer}`);
      const line = Number(place.split(':').at(-1));
      const [word = ''] = question.split(' ');
      if (
        !before?.text
          .split('\n')
          [line - 1]?.replaceAll(/\*\*|`/g, '')
          .includes(word)
      )
        t.fail(`${place}: ${question}`);
      taken.set(before?.id ?? '', (taken.get(before?.id ?? '') ?? 0) + 1);
    }
    for (const [at, { id, text }] of documents.entries()) {
      const left = found.documents[at]?.text ?? '';
      const few = (taken.get(id) ?? 0) * 620;
      if (left.length > text.length || text.length - left.length > few) t.fail(`${id} lost too much`);
    }
    const again = deriveQuestions(documents, units, createRandom(1));
    t.same(again.questions, found.questions, 'the same seed gives the same questions');
  }
});

t.test('questions are far apart, unless there are too few of them, and not too many', async (t) => {
  const paragraphs = (count: number, length: number) =>
    Array.from(
      { length: count },
      (_, at) => `The number of this paragraph is ${at}. ${'It is long. '.repeat(length)}`,
    );
  const countOf = async (...given: Parameters<typeof paragraphs>) =>
    (await derive(documentOf('a.txt', paragraphs(...given).join('\n\n')))).questions.length;
  t.equal(await countOf(70, 10), 70);
  t.equal(await countOf(1000, 10), 100, 'one of ten: there are 1,500 characters between them');
  t.equal(await countOf(900, 130), 400);
});

t.test('the kind of most documents is known by their names', async (t) => {
  const kind = (...names: string[]) => kindOf(names);
  t.equal(kind('a.py', 'b.md'), 'code');
  t.equal(kind('a.MD', 'b.html', 'c.txt'), 'docs');
  t.equal(kind('a.pdf'), 'reports');
  t.equal(kind('a.txt', 'b.txt', 'c.py', 'README'), 'prose');
});
