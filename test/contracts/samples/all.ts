import { CHUNKERS } from './chunkers.ts';
import { MODELS } from './models.ts';
import { READERS } from './readers.ts';
import { REFINERIES } from './refineries.ts';
import type { Sample } from './sample.ts';
import { SINKS } from './sinks.ts';

export const SAMPLES: readonly Sample[] = [...CHUNKERS, ...REFINERIES, ...READERS, ...SINKS, ...MODELS];
