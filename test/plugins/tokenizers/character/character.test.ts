import t from 'tap';
import create from '../../../../plugins/tokenizers/character/index.ts';
import { testPlainTokenizer } from '../plain.ts';

/** Half a pair is a code point of its own. */
await testPlainTokenizer(t, create, 'character', Array.from);
