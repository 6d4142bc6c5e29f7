import t from 'tap';
import { testClusters, testSentenceEnds } from '../scripts.ts';

testSentenceEnds(t, 'html', { min_chunk_size: 0 }, '<p>%</p>');
testClusters(t, 'html', { min_chunk_size: 0 }, '<p>%</p>');
