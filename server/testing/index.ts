/** The package's export `chunksmith/testing`, for authors of plugins. */
export { BrokenContract } from './broken-contract.ts';
export type { SinkStandIn, StartStandIn } from './contracts/sink/stand-in.ts';
export { type Harness, type HarnessOptions, openHarness } from './harness.ts';
export type { Exemptions, Suite, SuiteOptions } from './promises.ts';
export { SUITES } from './suites.ts';
export { type RegisterTest, type TestPluginOptions, testPlugin } from './test-plugin.ts';
