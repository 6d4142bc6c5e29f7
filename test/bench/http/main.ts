import { printTitle } from '../race/report.ts';
import { runHealth } from './health.ts';
import { runThroughput } from './throughput.ts';

printTitle(
  'One server process with its workers against a plain Fastify JSON echo, autocannon on the same machine',
);
await runThroughput();
printTitle('GET /health, 20 times a second, while eight clients send documents of 5 MB');
await runHealth();
