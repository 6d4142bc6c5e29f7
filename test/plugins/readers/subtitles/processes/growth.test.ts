import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../../support/linear-work.ts';

const counter = await startBlockCounter(t);
const { parseCues } = await import('../../../../../plugins/readers/subtitles/cues.ts');

const TIMES = '00:00:01,000 --> 00:00:02,000';
const shapes = repeated(
  '\n',
  'a\n',
  '7\n',
  '\n7\n',
  ' ',
  '-->',
  '--> ',
  '<v ',
  '<v a',
  '<c ',
  '<',
  '&',
  '{\\an',
  `${TIMES}\n`,
  'NOTE\n\n',
);

t.test('cues are read in linear time', async (t) => {
  const run = async (text: string) => parseCues(`WEBVTT\n\n${TIMES}\n${text}\n${TIMES}\nLast.\n`, new Map());
  await checkLinearWork(t, shapes, [{}], run, counter);
});
