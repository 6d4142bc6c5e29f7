import { test } from 'node:test';
import { testPlugin } from 'chunksmith/testing';

// Checks the plugin against its manifest and all promises of its kind, on generated and hostile texts.
await testPlugin(import.meta.dirname, { test });
