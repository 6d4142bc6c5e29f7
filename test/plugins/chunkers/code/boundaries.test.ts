import t, { type Test } from 'tap';
import { ask, chunk, joined } from './support/ask.ts';

/** Cuts fall at the ends of lines, and between blocks rather than after the line that opens one. */

const SIZES = [60, 80, 100, 140, 200];

async function chunksOf(t: Test, text: string, language: string, chunk_size: number, oversize: string) {
  const chunks = await chunk(text, { language, chunk_size, oversize });
  t.equal(joined(chunks), text, 'nothing is lost');
  t.ok(
    oversize !== 'split' || chunks.every(({ token_count }) => token_count <= chunk_size),
    'within the limit',
  );
  return chunks.map((one) => one.text);
}

const CONTAINERS: Readonly<Record<string, readonly [open: string, member: string, close: string]>> = {
  ruby: ["context 'Images' do\n", "  test 'one' do\n    a = 1\n  end\n\n", 'end\n\n'],
  java: [
    'public class FieldsTest\n    implements Face {\n',
    '  int one() {\n    return 1;\n  }\n\n',
    '}\n\n',
  ],
  python: ['class A(B):\n', '    def one(self):\n        return 1\n\n', '\n'],
  cpp: ['namespace shop {\n\n', 'int one() {\n  return 1;\n}\n\n', '}\n\n'],
  csharp: ['public class Shop\n{\n', '    int One() {\n        return 1;\n    }\n\n', '}\n\n'],
  rust: ['impl Shop {\n', '    fn one() -> i32 {\n        1\n    }\n\n', '}\n\n'],
  go: ['func TestX(t *testing.T) {\n', '\tif one() {\n\t\tt.Fail()\n\t}\n', '}\n\n'],
  javascript: ["describe('a shop', () => {\n", "  it('sells', () => {\n    sell(1);\n  });\n", '});\n\n'],
  php: ['class Shop {\n', '    function one() {\n        return 1;\n    }\n\n', '}\n\n'],
  kotlin: ['class Shop {\n', '    fun one(): Int {\n        return 1\n    }\n\n', '}\n\n'],
};

t.test('the line that opens a block goes with its first member, the closing one with the last', async (t) => {
  for (const [language, [open, member, close]] of Object.entries(CONTAINERS)) {
    const text = (language === 'php' ? '<?php\n' : '') + (open + member.repeat(4) + close).repeat(3);
    for (const size of SIZES) {
      for (const oversize of ['members', 'split']) {
        if (open.length + member.length + close.length > size) continue;
        const chunks = await chunksOf(t, text, language, size, oversize);
        const last = open.trim().split('\n').at(-1) as string;
        const stranded = chunks.filter((one) => one.trimEnd().endsWith(last));
        const closing = chunks.filter((one) => /^\s*(?:[)}\]]|end\b)/.test(one));
        t.same([stranded, closing], [[], []], `${language}, ${size}, ${oversize}`);
      }
    }
  }
});

const BODY = `CREATE FUNCTION rights(a INTEGER) RETURNS SETOF TEXT AS $$
DECLARE
    granted TEXT[];
BEGIN
    IF version_num() >= 90000 THEN
        FOR res IN SELECT * FROM verify(
            may_use('shop', current_user),
            true, 'the role has it'
        ) AS b LOOP RETURN NEXT res.b; END LOOP;
    END IF;
    RETURN;
END;
$$ LANGUAGE plpgsql;
`;

const LONG: Readonly<Record<string, string>> = {
  sql: BODY.repeat(3),
  java: `public final class Adapter extends Writer implements Face {\n${'  int one(int a,\n      int b) {\n    if (a == 1 && b != 2) {\n      return a(1, "x");\n    } else {\n      return 2;\n    }\n  }\n'.repeat(6)}}\n`,
  cpp: `static const auto\n    Name = R"(\n${'  some words of a text\n'.repeat(12)})";\n`,
  typescript: `function f<\n  A,\n>(a: A) {\n${'  g(a, (b) => {\n    h(b, 1);\n  }, (c) => {\n    i(c);\n  });\n'.repeat(5)}}\n`,
};

t.test('a line that fits is not cut', async (t) => {
  for (const [language, text] of Object.entries(LONG)) {
    for (const size of SIZES) {
      for (const oversize of ['members', 'split']) {
        const chunks = await chunksOf(t, text, language, size, oversize);
        const within = chunks.slice(0, -1).filter((one) => !one.endsWith('\n'));
        t.same(within, [], `${language}, ${size}, ${oversize}`);
      }
    }
  }
});

const LEADING: Readonly<Record<string, string>> = {
  haskell: `data Shop = Shop\n    { first :: Int\n${'    , another :: Maybe Text\n'.repeat(12)}    }\n`,
  typescript: `type Name =\n${"  | 'the name of one'\n".repeat(12)};\n`,
  sql: `SELECT first\n${'     , other_column AS b\n'.repeat(12)}FROM shops;\n`,
  javascript: `const found = shops\n${'  .filter((shop) => shop.a)\n'.repeat(12)};\n`,
  elixir: `found =\n  shops\n${'  |> Enum.map(&name/1)\n'.repeat(12)}`,
  java: `class A {\n  boolean b = first\n${'      && other(1, 2)\n'.repeat(12)};\n}\n`,
};

t.test('a comma, bar or operator that leads a line stays with what follows it', async (t) => {
  for (const [language, text] of Object.entries(LEADING)) {
    for (const size of SIZES) {
      const chunks = await chunksOf(t, text, language, size, 'split');
      const left = chunks.slice(0, -1).filter((one) => !one.endsWith('\n'));
      t.same(left, [], `${language}, ${size}`);
    }
  }
});

t.test('a long repetition is cut at lines, and the code around it by its syntax', async (t) => {
  const head = 'def first():\n    return 1\n\n';
  const tail = '\n\ndef second():\n    return 2\n';
  const repeated = ['.', "'a'", '@a ', '((', '<a', '-\n', '}a]b)c}d]e)f', 'class A { int x; '];
  const numbered = Array.from({ length: 5000 }, (_, index) => `<t${index}>`).join('');
  for (const unit of [...repeated, numbered]) {
    const text = head + unit.repeat(Math.ceil(20_000 / unit.length)) + tail;
    const { answer, language: _, fallback } = await ask({ text, language: 'python', chunk_size: 100 });
    t.equal(joined(answer), text, unit);
    t.equal(fallback, 'lines', 'the header says so');
    t.ok(answer[0].text.startsWith(head) && answer.at(-1).text.endsWith(tail.trimStart()), unit);
  }
  const short = await ask({ text: head + '.'.repeat(4000) + tail, language: 'python' });
  t.equal(short.fallback, undefined, 'a short one is parsed');
});
