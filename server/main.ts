import { enableCompileCache } from 'node:module';

// The code that the server imports is compiled once and cached, so that later starts are fast; worker threads read the
// variable.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ||= directory;
const { runCommand } = await import('./cli/run-command.ts');
process.exitCode = await runCommand(['serve', ...process.argv.slice(2)], process.env);
