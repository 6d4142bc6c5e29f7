import t from 'tap';
import { testClusters, testSentenceEnds } from '../scripts.ts';

testSentenceEnds(t, 'json', { min_chunk_size: 0 }, '"%"');
testClusters(t, 'json', {}, '["%"]');
