import { enableCompileCache } from 'node:module';

// Caches compiled code, so that commands start faster. The variable enables the cache in worker threads.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ||= directory;
const { runCommand } = await import('./run-command.ts');
// npm runs scripts in the package's folder; paths of the command line are relative to the caller's folder.
if (process.env.npm_lifecycle_event === 'chunksmith') process.chdir(process.env.INIT_CWD ?? '.');
process.exitCode = await runCommand(process.argv.slice(2), process.env);
