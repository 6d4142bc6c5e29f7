import t from 'tap';
import { testClusters, testSentenceEnds } from '../scripts.ts';

testSentenceEnds(t, 'sentence', { min_characters_per_sentence: 1 });
testSentenceEnds(t, 'sentence', { min_characters_per_sentence: 1, oversize: 'split' });
testClusters(t, 'sentence', { oversize: 'split' });
