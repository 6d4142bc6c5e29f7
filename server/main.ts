import { enableCompileCache } from 'node:module';

// The code that the server imports is compiled once and cached, so that later starts are fast.
enableCompileCache();
const { runCommand } = await import('./cli/run-command.ts');
process.exitCode = await runCommand(['serve', ...process.argv.slice(2)], process.env);
