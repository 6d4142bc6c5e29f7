import fc from 'fast-check';
import t from 'tap';
import { SourceLines } from '../../../server/corpora/chunk-documents.ts';
import { readShard } from '../../../server/corpora/read-documents.ts';
import type { SourceDocument } from '../../../server/corpora/shard.ts';
import { allocatePiece, PieceReleaser } from '../../../server/corpora/storage/buffer-release.ts';
import { createLocalFolder } from '../../../server/corpora/storage/local/folder.ts';
import type { StoredFile } from '../../../server/corpora/storage/storage.ts';
import { temporaryFolder } from '../../support/server.ts';

const isFreed = (bytes: Uint8Array) => bytes.buffer instanceof ArrayBuffer && bytes.buffer.detached;

t.test('a piece is freed with the first document behind its own', async (t) => {
  const releaser = new PieceReleaser();
  const [first, second] = [allocatePiece(100), allocatePiece(100)];
  releaser.done(first.subarray(0, 10));
  releaser.done(first.subarray(11, 90));
  t.notOk(isFreed(first));
  releaser.done(second.subarray(0, 10));
  t.ok(isFreed(first));
  t.notOk(isFreed(second));
  releaser.done(new Error('a document that cannot be read'));
  t.ok(isFreed(second));
});

t.test('memory is freed that a document has alone, and none that it may share', async (t) => {
  const releaser = new PieceReleaser();
  const [own, part] = [Buffer.allocUnsafeSlow(100_000), Buffer.allocUnsafeSlow(100_000)];
  const small = Buffer.from('small');
  for (const document of [own, part.subarray(1), small]) releaser.done(document);
  t.ok(isFreed(own));
  t.notOk(isFreed(part));
  t.equal(small.toString(), 'small');
});

t.test('no line is touched before it is settled, also one that ends in another piece', async (t) => {
  const some = { minLength: 1, maxLength: 12 };
  const lengths = fc.array(fc.oneof(fc.nat(50_000), fc.integer({ min: 400_000, max: 2_500_000 })), some);
  const settling = fc.array(fc.integer({ min: 1, max: 4 }), some);
  await fc.assert(
    fc.asyncProperty(lengths, settling, async (all, steps) => {
      const lines = all.map((length, index) =>
        JSON.stringify({ text: String.fromCharCode(97 + index).repeat(length) }),
      );
      const storage = createLocalFolder(await temporaryFolder(t, { 'in.jsonl': lines.join('\n') }));
      const file = (await storage.find('in.jsonl')) as StoredFile;
      const range = { format: 'jsonl', files: [file], bytes: file.size } as const;
      const shard = readShard(storage, range, { limit: 10_000_000 });
      const source = new SourceLines(shard as AsyncGenerator<SourceDocument[]>);
      const found: string[] = [];
      for (let step = 0; found.length < lines.length; step++) {
        while (!source.isOver && source.waiting === 0) await source.read();
        const taken = source.take(steps[step % steps.length] as number, Number.MAX_SAFE_INTEGER);
        found.push(...taken.map(String));
        source.settle(taken.length);
      }
      if (found.join('\n') !== lines.join('\n')) throw new Error('a line has changed');
    }),
    { numRuns: 8 },
  );
});
