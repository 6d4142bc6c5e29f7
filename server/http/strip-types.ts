import { stripTypeScriptTypes } from 'node:module';

/** TypeScript without its types, which become spaces. Node warns that the function is experimental, which no operator can change. */
export function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
