import t from 'tap';
import { testClusters } from '../scripts.ts';

testClusters(t, 'code', { language: 'python', oversize: 'split' }, 's = "%"\n');
