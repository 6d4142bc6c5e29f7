import { NodeParser } from '@llamaindex/core/node-parser';
import { Document, NodeRelationship, type TextNode } from '@llamaindex/core/schema';
import { ChunksmithNodeParser, SentenceSplitter } from 'chunksmith/llamaindex';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { startServer } from '../../support/server.ts';

/** A program of LlamaIndex changes one import. */

const { url: baseUrl } = await startServer(t);
const TEXT = 'One. 👍🏽 One. One. A family 👩‍👩‍👧‍👦.\r\n你好，世界。One. ';
const documents = [
  new Document({ id_: 'tea', text: TEXT, metadata: { from: 'here' } }),
  new Document({ id_: 'empty', text: '' }),
  new Document({ id_: 'milk', text: 'A little. ' }),
];

const idOf = (node: TextNode, relation: NodeRelationship) => {
  const related = node.relationships[relation];
  return Array.isArray(related) ? undefined : related?.nodeId;
};

t.test('nodes have their places, metadata and relationships', async (t) => {
  const parser = new ChunksmithNodeParser({ baseUrl, chunker: 'token', chunkSize: 5 });
  t.ok(parser instanceof NodeParser);
  const nodes = await parser.getNodesFromDocuments(documents);
  const tea = nodes.filter((node) => node.sourceNode?.nodeId === 'tea');
  t.equal(tea.map((node) => node.text).join(''), TEXT);
  for (const [index, node] of tea.entries()) {
    t.equal(TEXT.slice(node.startCharIdx, node.endCharIdx), node.text);
    t.equal(node.startCharIdx, tea[index - 1]?.endCharIdx ?? 0, 'also if the text stands twice');
    t.same(node.metadata, { from: 'here' });
    t.equal(idOf(node, NodeRelationship.PREVIOUS), tea[index - 1]?.id_);
    t.equal(idOf(node, NodeRelationship.NEXT), tea[index + 1]?.id_);
  }
  const milk = nodes.filter((node) => node.sourceNode?.nodeId === 'milk');
  const places = milk.map((node) => `${node.startCharIdx}: ${node.text}`);
  t.same(places, ['0: A lit', '5: tle. ']);
  t.equal(nodes.length, tea.length + milk.length);
  t.equal(new Set(nodes.map(({ id_ }) => id_)).size, nodes.length);
});

t.test('it is a transformation, as of an ingestion pipeline', async (t) => {
  const options = { chunker: 'token', includeMetadata: false, includePrevNextRel: false };
  const parser = new ChunksmithNodeParser({ baseUrl, ...options });
  const nodes = (await parser(documents)) as TextNode[];
  t.equal(nodes.length, 2);
  for (const { metadata, relationships } of nodes)
    t.same([metadata, Object.keys(relationships)], [{}, [NodeRelationship.SOURCE]]);
});

const OF_LLAMAINDEX = needs('chunker/sentence', 'tokenizer/tiktoken');
t.test('the splitter of a program is replaced by its name', OF_LLAMAINDEX, async (t) => {
  const splitter = new SentenceSplitter({ baseUrl, chunkSize: 8, chunkOverlap: 0 });
  const nodes = await splitter.getNodesFromDocuments(documents.slice(0, 1));
  t.ok(nodes.length > 1);
  t.equal(nodes.map((node) => node.text).join(''), TEXT);
});

t.test('what is refused is an error of the client', async (t) => {
  const parser = new ChunksmithNodeParser({ baseUrl, chunker: 'tokn' });
  const refused = async () => parser.getNodesFromDocuments(documents);
  await t.rejects(refused, { name: 'ChunksmithError', status: 404 });
});
