import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  FLOAT,
  INT64,
  int,
  ints,
  type Node,
  onnxFile,
  tensor,
  value,
} from '../../fixtures/embeddings/transformer/onnx.ts';
import { createRandom } from '../../support/random.ts';

const LAYERS = 6;
const WIDTH = 384;
const HEADS = 12;
const INNER = 4 * WIDTH;
const POSITIONS = 512;

/**
 * Writes a folder of a sentence encoder as the hub has them: BERT with six layers of random weights, the same in every run,
 * and mean pooling. The graph is made of the operations that PyTorch exports.
 *
 * @param tokenizer the path of a `tokenizer.json` of WordPiece, whose vocabulary it takes
 */
export function writeEncoder(folder: string, tokenizer: string): void {
  const { model, ...parts } = JSON.parse(readFileSync(tokenizer, 'utf8'));
  const size = Object.keys(model.vocab).length;
  const vocab = { ...model.vocab, '[CLS]': size, '[SEP]': size + 1 };
  const post_processor = { type: 'BertProcessing', cls: ['[CLS]', size], sep: ['[SEP]', size + 1] };
  const special = { cls_token: '[CLS]', sep_token: '[SEP]', pad_token: '[PAD]', unk_token: '[UNK]' };
  const added_tokens = Object.values(special).map((content) => {
    const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
    return { id: vocab[content], content, ...flags };
  });
  const files = {
    'config.json': { model_type: 'bert', hidden_size: WIDTH, max_position_embeddings: POSITIONS },
    'tokenizer.json': { ...parts, added_tokens, post_processor, model: { ...model, vocab } },
    'tokenizer_config.json': {
      tokenizer_class: 'BertTokenizer',
      model_max_length: POSITIONS,
      ...special,
    },
    'modules.json': [
      { type: 'sentence_transformers.models.Pooling' },
      { type: 'sentence_transformers.models.Normalize' },
    ],
  };
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
  writeFileSync(join(folder, 'onnx/model.onnx'), encoderOf(size + 2));
}

function encoderOf(vocabulary: number): Uint8Array {
  const shape = ['texts', 'tokens'];
  return onnxFile({
    nodes: [...embeddingNodes(), ...Array.from({ length: LAYERS }, (_, layer) => layerNodes(layer)).flat()],
    initializers: [...constants(), ...weights(vocabulary)],
    inputs: ['input_ids', 'attention_mask', 'token_type_ids'].map((name) => value(name, INT64, shape)),
    outputs: [value('last_hidden_state', FLOAT, [...shape, WIDTH])],
  });
}

const SCALARS = { root: Math.sqrt(WIDTH / HEADS), sqrt2: Math.SQRT2, one: 1, half: 0.5, lowest: -3e38 };
const LISTS = {
  first: [0],
  second: [1],
  third: [2],
  inner: [1, 2],
  heads: [0, 0, HEADS, -1],
  row: [0, 0, WIDTH],
};

function constants(): Uint8Array[] {
  return [
    ...Object.entries(SCALARS).map(([name, one]) => tensor(name, FLOAT, [], Float32Array.of(one))),
    ...Object.entries(LISTS).map(([name, list]) =>
      tensor(name, INT64, [list.length], BigInt64Array.from(list.map(BigInt))),
    ),
  ];
}

function embeddingNodes(): Node[] {
  return [
    ['Shape', ['input_ids'], 'shape'],
    ['Slice', ['shape', 'second', 'third', 'first'], 'length'],
    ['Slice', ['position_table', 'first', 'length', 'first'], 'positions'],
    ['Gather', ['word_table', 'input_ids'], 'words'],
    ['Gather', ['type_table', 'token_type_ids'], 'types'],
    ['Add', ['words', 'types'], 'typed'],
    ['Add', ['typed', 'positions'], 'placed'],
    ['LayerNormalization', ['placed', 'norm_scale', 'norm_shift'], 'layer0', int('axis', -1)],
    ['Unsqueeze', ['attention_mask', 'inner'], 'mask'],
    ['Cast', ['mask'], 'present', int('to', FLOAT)],
    ['Sub', ['one', 'present'], 'absent'],
    ['Mul', ['absent', 'lowest'], 'penalty'],
  ];
}

/** Attention, and the two products after it, each with its residual and norm. */
function layerNodes(layer: number): Node[] {
  const own = (name: string) => `${name}_${layer}`;
  const output = layer === LAYERS - 1 ? 'last_hidden_state' : `layer${layer + 1}`;
  return [...attentionNodes(own, `layer${layer}`), ...innerNodes(own, output)];
}

/** A name of one layer. */
type Own = (name: string) => string;

const dense = (own: Own, from: string, to: string): Node[] => [
  ['MatMul', [from, own(`${to}_weight`)], own(`${to}_product`)],
  ['Add', [own(`${to}_bias`), own(`${to}_product`)], own(to)],
];

function residual(own: Own, name: string, before: string, to: string): Node[] {
  const inputs = [own(`${name}_sum`), own(`${name}_scale`), own(`${name}_shift`)];
  return [
    ['Add', [own(name), before], own(`${name}_sum`)],
    ['LayerNormalization', inputs, to, int('axis', -1)],
  ];
}

function attentionNodes(own: Own, input: string): Node[] {
  const heads = (name: string, perm: readonly number[]): Node[] => [
    ['Reshape', [own(name), 'heads'], own(`${name}_split`)],
    ['Transpose', [own(`${name}_split`)], own(`${name}_heads`), ints('perm', perm)],
  ];
  return [
    ...['query', 'key', 'value'].flatMap((name) => dense(own, input, name)),
    ...heads('query', [0, 2, 1, 3]),
    ...heads('key', [0, 2, 3, 1]),
    ...heads('value', [0, 2, 1, 3]),
    ['MatMul', [own('query_heads'), own('key_heads')], own('products')],
    ['Div', [own('products'), 'root'], own('scores')],
    ['Add', [own('scores'), 'penalty'], own('masked')],
    ['Softmax', [own('masked')], own('attention'), int('axis', -1)],
    ['MatMul', [own('attention'), own('value_heads')], own('context_heads')],
    ['Transpose', [own('context_heads')], own('context_split'), ints('perm', [0, 2, 1, 3])],
    ['Reshape', [own('context_split'), 'row'], own('context')],
    ...dense(own, own('context'), 'attended'),
    ...residual(own, 'attended', input, own('middle')),
  ];
}

function innerNodes(own: Own, output: string): Node[] {
  return [
    ...dense(own, own('middle'), 'wide'),
    ['Div', [own('wide'), 'sqrt2'], own('scaled')],
    ['Erf', [own('scaled')], own('erf')],
    ['Add', [own('erf'), 'one'], own('raised')],
    ['Mul', [own('wide'), own('raised')], own('gated')],
    ['Mul', [own('gated'), 'half'], own('active')],
    ...dense(own, own('active'), 'narrow'),
    ...residual(own, 'narrow', own('middle'), output),
  ];
}

function weights(vocabulary: number): Uint8Array[] {
  const random = createRandom(1);
  const filled = (name: string, shape: readonly number[], [low, high] = [-0.1, 0.1]) => {
    const values = new Float32Array(shape.reduce((product, one) => product * one));
    for (let at = 0; at < values.length; at++) values[at] = low + (high - low) * random();
    return tensor(name, FLOAT, shape, values);
  };
  const norm = (name: (part: string) => string) => [
    filled(name('scale'), [WIDTH], [0.9, 1.1]),
    filled(name('shift'), [WIDTH]),
  ];
  const weighted = (name: string, layer: number, from: number, to: number) => [
    filled(`${name}_weight_${layer}`, [from, to]),
    filled(`${name}_bias_${layer}`, [to]),
  ];
  const layers = Array.from({ length: LAYERS }, (_, layer) => [
    ...['query', 'key', 'value', 'attended'].flatMap((name) => weighted(name, layer, WIDTH, WIDTH)),
    ...weighted('wide', layer, WIDTH, INNER),
    ...weighted('narrow', layer, INNER, WIDTH),
    ...['attended', 'narrow'].flatMap((name) => norm((part) => `${name}_${part}_${layer}`)),
  ]);
  return [
    filled('word_table', [vocabulary, WIDTH]),
    filled('position_table', [POSITIONS, WIDTH]),
    filled('type_table', [2, WIDTH]),
    ...norm((part) => `norm_${part}`),
    ...layers.flat(),
  ];
}
