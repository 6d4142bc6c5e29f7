import { killCases } from './kill-cases.ts';

killCases(({ isOnPostgres }) => isOnPostgres === true);
