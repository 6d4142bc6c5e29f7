import t from 'tap';
import createSink from '../../../../plugins/sinks/pgvector/index.ts';
import { composeQuietly } from '../../../support/service.ts';
import { setVariables } from '../../../support/variables.ts';
import { openSink } from '../sinks.ts';

t.test('it needs its address, and no password is in what callers read', async (t) => {
  setVariables(t, { PGVECTOR_URL: undefined });
  const { registry } = await composeQuietly();
  const message = /"pgvector" cannot run here: set the environment variable PGVECTOR_URL/;
  t.throws(() => registry.require('sink', 'pgvector'), { status: 500, message });
  const target = { options: { table: 'chunks', schema: 'public', vectors: 'array' } };
  for (const url of ['postgresql://user:very-secret@127.0.0.1:1/db', 'very-secret://a b:c']) {
    const error = await openSink(createSink, { PGVECTOR_URL: url }, target).catch((reason: Error) => reason);
    t.match(error, { expose: true, message: /^PostgreSQL cannot be reached: .*; check PGVECTOR_URL$/ });
    t.notMatch(String(error), 'very-secret');
  }
});
