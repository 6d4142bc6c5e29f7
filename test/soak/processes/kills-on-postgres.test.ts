import t from 'tap';
import { killCases } from './kill-cases.ts';

killCases(t, ({ isOnPostgres }) => isOnPostgres === true);
