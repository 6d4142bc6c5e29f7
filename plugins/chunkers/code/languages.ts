import type { LanguageName } from './manifest.ts';

/**
 * How the syntax nodes of a language are cut. A key is the type of a syntax node, or `type:word` for nodes of that type
 * whose first named child is that word (`call:def`).
 */
export interface Rules {
  /** Types of nodes that have a meaning only with their first word, as in `call:def`. */
  readonly worded: readonly string[];
  /** Functions and classes, which are never broken, and their names in a scope (`class Parser`). */
  readonly units: Readonly<Record<string, string>>;
  /** Nodes that contain units and may be cut between them, and their names in a scope. */
  readonly spaces: Readonly<Record<string, string>>;
  /** Nodes around a unit that are one with it: `export`, decorators, assignments of functions. */
  readonly wrappers: readonly string[];
  /** Nodes that stay with what follows them, besides comments: attributes, annotations, signatures. */
  readonly leads: readonly string[];
  /** Nodes that stay with what precedes them. */
  readonly tails: readonly string[];
  /** Nodes that open and close what contains them: they stay with what follows or precedes them if that fits. */
  readonly openings: readonly string[];
  readonly closings: readonly string[];
  /** Nodes without a meaning of their own: their children count as children of their parent. */
  readonly flat: readonly string[];
  /** Field or type of the child that names a node, if the common rules do not find it. */
  readonly names: Readonly<Record<string, string>>;
}

/** What the chunker knows about a language. */
export interface Language extends Rules {
  readonly name: LanguageName;
  /** Aliases that a request may use. */
  readonly aliases: readonly string[];
  /** The npm package with its grammar as WebAssembly; the second has those that are missing or broken in the first. */
  readonly package: 'tree-sitter-wasms' | 'tree-sitter-wasm';
  /** Name of the grammar in its package. */
  readonly grammar: string;
}

type Row = Partial<Omit<Language, 'name'>>;

/** Types of units without a word before their names in a scope. */
function wordless(types: string): Record<string, ''> {
  return Object.fromEntries(types.split(/\s+/).map((type) => [type, '']));
}

const JAVASCRIPT = {
  units: {
    ...wordless(`function_declaration generator_function_declaration function_expression function
      generator_function arrow_function method_definition`),
    class_declaration: 'class',
    class: 'class',
  },
  wrappers: [
    'export_statement',
    'lexical_declaration',
    'variable_declaration',
    'variable_declarator',
    'pair',
  ],
  leads: ['decorator'],
} as const satisfies Row;

const TYPESCRIPT = {
  units: {
    ...JAVASCRIPT.units,
    abstract_class_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    function_signature: '',
  },
  spaces: { internal_module: 'namespace', module: 'module', type_alias_declaration: 'type' },
  wrappers: [...JAVASCRIPT.wrappers, 'ambient_declaration'],
  leads: ['decorator'],
} as const satisfies Row;

const C = {
  units: {
    function_definition: '',
    struct_specifier: 'struct',
    union_specifier: 'union',
    enum_specifier: 'enum',
  },
  wrappers: ['type_definition', 'declaration'],
} as const satisfies Row;

const ROWS: Readonly<Record<LanguageName, Row>> = {
  bash: {
    package: 'tree-sitter-wasm',
    aliases: ['sh', 'shell', 'zsh'],
    units: { function_definition: '' },
  },
  c: { ...C, aliases: ['h'] },
  cpp: {
    aliases: ['c++', 'cc', 'cxx', 'hpp'],
    units: { ...C.units, class_specifier: 'class', lambda_expression: '' },
    spaces: { namespace_definition: 'namespace', linkage_specification: 'extern' },
    wrappers: [...C.wrappers, 'template_declaration'],
  },
  csharp: {
    aliases: ['cs', 'c#', 'c_sharp'],
    grammar: 'c_sharp',
    units: {
      class_declaration: 'class',
      interface_declaration: 'interface',
      struct_declaration: 'struct',
      record_declaration: 'record',
      record_struct_declaration: 'record',
      enum_declaration: 'enum',
      ...wordless(`delegate_declaration method_declaration constructor_declaration
        destructor_declaration operator_declaration property_declaration local_function_statement`),
    },
    spaces: { namespace_declaration: 'namespace', file_scoped_namespace_declaration: 'namespace' },
  },
  css: {
    aliases: ['scss'],
    spaces: {
      rule_set: '',
      keyframes_statement: '@keyframes',
      media_statement: '@media',
      supports_statement: '@supports',
    },
    names: { rule_set: 'selectors', keyframes_statement: 'keyframes_name' },
  },
  dart: {
    units: {
      class_definition: 'class',
      enum_declaration: 'enum',
      mixin_declaration: 'mixin',
      extension_declaration: 'extension',
      ...wordless('function_signature method_signature getter_signature setter_signature'),
    },
    leads: ['annotation', 'marker_annotation'],
    tails: ['function_body'],
  },
  elixir: {
    aliases: ['ex', 'exs'],
    worded: ['call'],
    units: wordless('call:def call:defp call:defmacro call:defmacrop call:defguard call:test'),
    spaces: {
      'call:defmodule': 'module',
      'call:defprotocol': 'protocol',
      'call:defimpl': 'impl',
      'call:describe': 'describe',
    },
    leads: ['unary_operator'],
    names: { call: 'arguments', arguments: '*' },
  },
  go: {
    aliases: ['golang'],
    units: { function_declaration: '', method_declaration: '', type_declaration: 'type', func_literal: '' },
    names: { type_declaration: 'type_spec' },
  },
  haskell: {
    package: 'tree-sitter-wasm',
    aliases: ['hs'],
    units: {
      ...wordless('function bind'),
      data_type: 'data',
      newtype: 'newtype',
      type_synomym: 'type',
      class: 'class',
      instance: 'instance',
    },
    leads: ['signature'],
    flat: ['imports', 'declarations'],
  },
  html: {
    aliases: ['htm', 'xhtml'],
    spaces: { element: '', script_element: '', style_element: '' },
    names: {
      element: 'start_tag',
      script_element: 'start_tag',
      style_element: 'start_tag',
      start_tag: 'tag_name',
    },
  },
  java: {
    units: {
      class_declaration: 'class',
      interface_declaration: 'interface',
      enum_declaration: 'enum',
      record_declaration: 'record',
      annotation_type_declaration: '@interface',
      ...wordless('method_declaration constructor_declaration lambda_expression'),
    },
  },
  javascript: { ...JAVASCRIPT, aliases: ['js', 'jsx', 'mjs', 'cjs', 'node'] },
  json: { aliases: ['jsonc'], spaces: { pair: '' }, names: { pair: 'key' } },
  kotlin: {
    aliases: ['kt', 'kts'],
    units: {
      ...wordless('function_declaration secondary_constructor'),
      class_declaration: 'class',
      object_declaration: 'object',
      companion_object: 'object',
    },
  },
  lua: {
    package: 'tree-sitter-wasm',
    units: { function_declaration: '', function_definition: '' },
    wrappers: ['variable_declaration', 'assignment_statement', 'expression_list', 'field'],
  },
  markdown: {
    package: 'tree-sitter-wasm',
    aliases: ['md'],
    spaces: { section: '', fenced_code_block: '' },
    names: { section: 'atx_heading', atx_heading: 'inline', setext_heading: 'paragraph' },
  },
  perl: {
    package: 'tree-sitter-wasm',
    aliases: ['pl', 'pm'],
    units: {
      ...wordless('subroutine_declaration_statement method_declaration_statement'),
      class_statement: 'class',
    },
  },
  php: {
    units: {
      ...wordless(`function_definition method_declaration anonymous_function_creation_expression
        anonymous_function`),
      class_declaration: 'class',
      interface_declaration: 'interface',
      trait_declaration: 'trait',
      enum_declaration: 'enum',
    },
    spaces: { namespace_definition: 'namespace' },
  },
  python: {
    aliases: ['py', 'python3'],
    units: { function_definition: '', class_definition: 'class' },
    wrappers: ['decorated_definition'],
  },
  r: {
    package: 'tree-sitter-wasm',
    units: { function_definition: '' },
    wrappers: ['binary_operator'],
    names: { binary_operator: 'lhs', function_definition: 'none' },
  },
  ruby: {
    aliases: ['rb'],
    units: { method: '', singleton_method: '', class: 'class', singleton_class: 'class' },
    spaces: { module: 'module' },
  },
  rust: {
    aliases: ['rs'],
    units: {
      ...wordless('function_item function_signature_item'),
      struct_item: 'struct',
      enum_item: 'enum',
      union_item: 'union',
      trait_item: 'trait',
      impl_item: 'impl',
      macro_definition: 'macro',
    },
    spaces: { mod_item: 'mod', foreign_mod_item: 'extern' },
    leads: ['attribute_item', 'inner_attribute_item'],
    names: { impl_item: 'type' },
  },
  scala: {
    package: 'tree-sitter-wasm',
    aliases: ['sc'],
    units: {
      class_definition: 'class',
      object_definition: 'object',
      trait_definition: 'trait',
      enum_definition: 'enum',
      function_definition: '',
      given_definition: 'given',
    },
    spaces: { package_clause: 'package' },
    leads: ['annotation'],
  },
  sql: {
    package: 'tree-sitter-wasm',
    spaces: { statement: '' },
    names: { statement: '*' },
  },
  swift: {
    package: 'tree-sitter-wasm',
    units: {
      ...wordless('function_declaration init_declaration deinit_declaration'),
      class_declaration: 'class',
      protocol_declaration: 'protocol',
    },
  },
  toml: { spaces: { table: '', table_array_element: '' }, names: { table: '*', table_array_element: '*' } },
  tsx: TYPESCRIPT,
  typescript: { ...TYPESCRIPT, aliases: ['ts', 'mts', 'cts'] },
  yaml: {
    package: 'tree-sitter-wasm',
    aliases: ['yml'],
    spaces: { block_mapping_pair: '' },
    flat: ['document', 'block_node', 'block_mapping', 'block_sequence'],
    names: { block_mapping_pair: 'key' },
  },
  zig: {
    units: {
      function_declaration: '',
      test_declaration: 'test',
      struct_declaration: 'struct',
      enum_declaration: 'enum',
      union_declaration: 'union',
    },
    wrappers: ['variable_declaration'],
  },
};

const NO_RULES: Rules = {
  worded: [],
  units: {},
  spaces: {},
  wrappers: [],
  leads: [],
  tails: [],
  openings: [],
  closings: [],
  flat: [],
  names: {},
};

/** How the elements and blocks of templates are cut. */
export const MARKUP: Rules = {
  ...NO_RULES,
  spaces: { element: '', block: '', front_matter: '' },
  openings: ['start'],
  closings: ['end'],
};

/** All languages, sorted by name. */
export const LANGUAGES: readonly Language[] = (Object.keys(ROWS) as LanguageName[]).map((name) => ({
  name,
  aliases: [],
  package: 'tree-sitter-wasms',
  grammar: name,
  ...NO_RULES,
  ...ROWS[name],
}));

const BY_NAME: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) =>
    [language.name, ...language.aliases].map((name): [string, Language] => [name, language]),
  ),
);

/** The language with a name or an alias, case-insensitively. */
export function findLanguage(name: string): Language | undefined {
  return BY_NAME.get(name.toLowerCase());
}
