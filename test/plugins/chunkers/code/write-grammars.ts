import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import { fileOf } from '../../../../plugins/chunkers/code/parsers.ts';

/**
 * Compresses the bundled grammars from the unpacked package `tree-sitter-wasm`, and prints the lines of
 * `grammars/NOTICE` that name them.
 */
function writeGrammars(folder: string): void {
  for (const language of LANGUAGES.filter(({ isBundled }) => isBundled)) {
    const file = fileOf(language);
    const bytes = readFileSync(join(folder, 'out', language.grammar, basename(file, '.br')));
    const params = {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(file, brotliCompressSync(bytes, { params }));
    console.log(`${createHash('sha256').update(bytes).digest('hex')}  ${basename(file, '.br')}`);
  }
}

/** `npm pack tree-sitter-wasm@2.0.2`, unpack it, and `node test/plugins/chunkers/code/write-grammars.ts package`. */
writeGrammars(process.argv[2] ?? 'package');
