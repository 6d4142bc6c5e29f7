import t from 'tap';
import { testClusters, testSentenceEnds } from '../scripts.ts';

testSentenceEnds(t, 'table', { format: 'csv', delimiter: ';', carry: 'none', min_chunk_size: 0 }, 'a\n%\n');
testClusters(t, 'table', { format: 'csv', delimiter: ';', carry: 'none' }, 'a;b\n1;%\n');
