import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';

const TEMPLATE =
  '{title|filename}\n{scope} {names} {words}\n{metadata}\n{heading_path}\n{previous:9}{next:9}{context}';
const UNITS = ['class A', 'class B', 'parse'];

type Fields = Readonly<Record<string, unknown>>;
const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, index) => make(index));
const one = (fields: (size: number) => Fields) => (size: number) => [fields(size)];

/** Chunks that hold about so many names, units or values. */
const SHAPES: Readonly<Record<string, (size: number) => readonly Fields[]>> = {
  'many chunks': (size) => list(size, (index) => ({ nodes: [{ name: `n${index}`, scope: UNITS }] })),
  'many names': one((size) => ({ nodes: list(size, (index) => ({ name: `n${index}`, scope: UNITS })) })),
  'one name': one((size) => ({ nodes: list(size, () => ({ name: 'n', scope: UNITS })) })),
  'no names': one((size) => ({ nodes: list(size, () => ({ name: '', scope: [] })) })),
  'a deep scope': one((size) => ({
    nodes: [{ name: 'n', scope: list(size, String) }, { scope: list(size, String) }],
  })),
  'scopes that end later and later': one((size) => {
    const side = Math.ceil(Math.sqrt(size));
    return { nodes: list(side, (index) => ({ name: 'n', scope: list(side, (at) => `${at === index}`) })) };
  }),
  'many values': one((size) => ({
    metadata: Object.fromEntries(list(size, (index) => [`k${index}`, index])),
  })),
  'empty values': one((size) => ({ metadata: Object.fromEntries(list(size, (index) => [`k${index}`, ''])) })),
  'a long list': one((size) => ({ metadata: { list: list(size, () => 'https://x') } })),
  'lists in lists': one((size) => ({ metadata: { list: list(size, () => [['x']]) } })),
};

t.test('work grows with the chunks and what they hold, not faster', async (t) => {
  const counter = await startBlockCounter(t);
  const { default: createContext } = await import('../../../../../plugins/refineries/context/index.ts');
  const { TOOLS, chunksOf } = await import('../../refining.ts');
  const { refine } = createContext();
  for (const [shape, make] of Object.entries(SHAPES)) {
    const workOf = (size: number) => {
      const chunks = make(size).flatMap((fields) => chunksOf(['text'], fields));
      return counter.count(() =>
        refine(chunks, { template: TEMPLATE, separator: ' > ', max_length: 2000 }, TOOLS),
      );
    };
    await workOf(10);
    const growth = (await workOf(16_000)) / (await workOf(2000));
    t.ok(growth < 12, `${shape}: ${growth.toFixed(1)} times for 8 times`);
  }
});
