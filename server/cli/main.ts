import { enableCompileCache } from 'node:module';

// The code that a command imports is compiled once and kept, so that later starts are fast; worker threads read the variable.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
const [name, ...rest] = process.argv.slice(2);
if (name === 'serve' || name === 'check') {
  // These are the server, whose entry reads the arguments itself.
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...rest, ...(name === 'check' ? ['--check'] : []));
  await import('../main.ts');
} else {
  const { runCommand } = await import('./run-command.ts');
  process.exitCode = await runCommand(process.argv.slice(2), process.env);
}
