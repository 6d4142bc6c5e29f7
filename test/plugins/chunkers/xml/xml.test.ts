import t from 'tap';
import { openChunkers } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import CUTS from './cuts.json' with { type: 'json' };
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

await testCuts(t, 'xml', {}, CUTS);

t.test('a path that is too deep or too long is null', async (t) => {
  const chunk = await openChunkers();
  const pathOf = async (text: string) => {
    const [first] = await chunk('xml', { text });
    return (first as { xpath?: string | null } | undefined)?.xpath;
  };
  t.equal(await pathOf(`x${'<a>'.repeat(65)}${'</a>'.repeat(65)}`), '/');
  t.equal(await pathOf(`${'<a>'.repeat(65)}x`), null);
  t.equal(await pathOf(`<${'a'.repeat(255)}>x`), `/${'a'.repeat(255)}`);
  t.equal(await pathOf(`<${'a'.repeat(256)}>x`), null);
});

t.test('1 MB of endless nesting overflows no stack', (t) =>
  checkDepth(t, 'xml', HOSTILE_SHAPES, [
    '«<a>x»«</a>y»',
    '«<a><b/>»«</a>»',
    '«<sec><title>T</title><p/><p>x</p>»«</sec>»',
  ]),
);
