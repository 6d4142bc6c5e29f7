import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// The code that the server imports is compiled once and kept, so that later starts are fast.
enableCompileCache();
// A start makes much short-lived garbage. If V8's young generation grew with it, the process would keep that memory.
setFlagsFromString('--semi-space-growth-factor=1');
const { runServer } = await import('./cli/run-server.ts');
await runServer(process.argv.slice(2), process.env);
setFlagsFromString('--semi-space-growth-factor=2');
