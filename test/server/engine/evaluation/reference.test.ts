import t from 'tap';
import { ownDataSets } from '../../../eval/retrieval/data-sets.ts';
import { LIMITS, Measured } from '../../../eval/retrieval/rows.ts';
import { agreement } from '../../../eval/retrieval/trust.ts';
import { needs } from '../../../support/here.ts';
import { openService } from '../../../support/service.ts';

/** Evaluations against an implementation that shares no code with them: see `npm run eval -- retrieval`. */

const OF_PLUGINS = needs('embedding/static', 'chunker/recursive', 'tokenizer/tiktoken');

t.test(
  'recalls and scores are those of a plain reference, in prose and in several scripts',
  OF_PLUGINS,
  async (t) => {
    const measured = new Measured(t, await openService(t, LIMITS));
    for (const set of (await ownDataSets()).filter(({ kind }) => kind !== 'code')) {
      const rows = await agreement(set, measured);
      for (const { figure, value, isMet } of rows) t.ok(isMet, `${figure}: ${value}`);
    }
  },
);
