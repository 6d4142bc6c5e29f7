import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { missingPluginOf } from './missing-plugin.ts';
import { failWithUncaught } from './uncaught.ts';

/**
 * One process that runs several test files, one after the other, so that what they import is loaded once. A file's
 * `import t from 'tap'` is a test of its own: what hangs on it ends with the file.
 */

const ROOT = join(import.meta.dirname, '../..');
const MAX_PER_FILE = 600_000;
const DOMAIN = import.meta.resolve('./domain.ts');
const VIRTUAL = 'tap-of:';

/** Taken before tap is loaded, which names the folder of a test by all arguments: too long a name for many files. */
const files = process.argv.splice(2);
registerHooks({
  resolve(specifier, context, next) {
    return next(specifier === 'async-hook-domain' ? DOMAIN : specifier, context);
  },
});
const { default: tap } = await import('tap');

const tests = new Map<string, Test>();
Object.assign(globalThis, { testOfFile: (url: string) => tests.get(url) });

registerHooks({
  resolve(specifier, context, next) {
    const isTestFile = specifier === 'tap' && tests.has(context.parentURL ?? '');
    return isTestFile ? { url: VIRTUAL + context.parentURL, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith(VIRTUAL)) return next(url, context);
    const source = `export default globalThis.testOfFile(${JSON.stringify(url.slice(VIRTUAL.length))});`;
    return { format: 'module', source, shortCircuit: true };
  },
});

failWithUncaught(tap);
// All files together may take as long as they need.
tap.setTimeout(0);
// A test that waits for nothing would end the process before its time is up.
const alive = setInterval(() => {}, 60_000);
for (const file of files) {
  const name = relative(ROOT, file);
  const missing = await missingPluginOf(name);
  const skip = missing === undefined ? false : `${missing} is not in this checkout`;
  await tap.test(name, { skip, timeout: MAX_PER_FILE }, async (t) => {
    const { href } = pathToFileURL(file);
    tests.set(href, t);
    await import(href);
  });
}
clearInterval(alive);
