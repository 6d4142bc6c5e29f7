import { enableCompileCache } from 'node:module';

// The code that a command imports is compiled once and cached, so that later starts are fast; worker threads read the
// variable.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ||= directory;
const { runCommand } = await import('./run-command.ts');
// npm runs a script in the folder of its package: paths of the command line are relative to the folder of the caller.
if (process.env.npm_lifecycle_event === 'chunksmith') process.chdir(process.env.INIT_CWD ?? '.');
process.exitCode = await runCommand(process.argv.slice(2), process.env);
