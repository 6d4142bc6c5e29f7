import t from 'tap';
import { testClusters, testSentenceEnds } from '../scripts.ts';

testSentenceEnds(t, 'markdown');
testSentenceEnds(t, 'markdown', {}, '# Title\n\n- %\n');
testClusters(t, 'markdown');
