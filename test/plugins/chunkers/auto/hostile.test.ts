import t from 'tap';
import { kit } from '../../../../core/kit.ts';
import { choose } from '../../../../plugins/chunkers/auto/choose.ts';
import { checkLinearWork } from '../../../support/linear-work.ts';

const PARTS = [
  'a ',
  '<!--',
  '[a](b',
  '"',
  '\n"""\n',
  '{',
  'a,',
  '```\n',
  '# a\n',
  '    x',
  '=ab\n',
  'a = 1;\n',
  '<p>',
];

t.test('the work to choose is linear in the text', (t) =>
  checkLinearWork(
    t,
    Object.fromEntries(PARTS.map((part) => [part, (length: number) => part.repeat(length / part.length)])),
    [{}],
    async (text) =>
      choose({ text, filename: undefined, mediaType: undefined, isTolerant: false, isHere: () => true, kit }),
  ),
);
