import { killCases } from './kill-cases.ts';

killCases(({ queue }) => queue !== undefined);
