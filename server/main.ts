import { enableCompileCache } from 'node:module';

/** Entry of the server. What it imports is compiled once and kept, so that later starts are fast. */
enableCompileCache();
const { runServer } = await import('./run-server.ts');
await runServer(process.argv.slice(2), process.env);
