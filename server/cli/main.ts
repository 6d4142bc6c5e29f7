import { enableCompileCache } from 'node:module';

// The code that a command imports is compiled once and kept, so that later starts are fast.
enableCompileCache();
const { runCommand } = await import('./run-command.ts');
process.exitCode = await runCommand(process.argv.slice(2), process.env);
