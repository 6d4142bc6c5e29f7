import { test } from 'node:test';
import { testPlugin } from 'chunksmith/testing';

// Holds the plugin to its manifest and to all promises of its kind, on generated and nasty texts.
await testPlugin(import.meta.dirname, { test });
