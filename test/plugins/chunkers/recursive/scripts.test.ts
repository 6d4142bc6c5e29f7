import t from 'tap';
import { testClusters, testSentenceEnds } from '../scripts.ts';

testSentenceEnds(t, 'recursive', { min_characters_per_chunk: 1 });
testClusters(t, 'recursive', { min_characters_per_chunk: 1 });
testClusters(t, 'recursive', { chunk_overlap: 0, delimiters: ['x'] });
