import { enableCompileCache } from 'node:module';

// Caches compiled code for faster later starts. Worker threads read the folder from the environment variable.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ||= directory;
const { runCommand } = await import('./cli/run-command.ts');
process.exitCode = await runCommand(['serve', ...process.argv.slice(2)], process.env);
