import { withoutMacros } from './macros.ts';
import type { LanguageName } from './manifest.ts';
import type { Language, Row, Rules } from './syntax.ts';

export type { Language, Rules } from './syntax.ts';

function words(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

/** Rules for units whose label in a scope is only their name, without a word such as `class`. */
function wordless(types: string): Record<string, ''> {
  return Object.fromEntries(words(types).map((type) => [type, '']));
}

/** Rules for calls that begin with one of `names`: the key of the call, and the word in the call's label. */
function calls(type: string, names: string): Record<string, string> {
  return Object.fromEntries(
    words(names).map((word) => [`${type}:${word}`, word.replace(/^\w+\.|\.\w+$/g, '')]),
  );
}

/** Preprocessor conditions. The units in a condition are listed. */
const PREPROCESSOR = ['preproc_if', 'preproc_ifdef', 'preproc_elif', 'preproc_elifdef', 'preproc_else'];

const C = {
  units: {
    function_definition: '',
    struct_specifier: 'struct',
    union_specifier: 'union',
    enum_specifier: 'enum',
  },
  prepare: withoutMacros,
  wrappers: ['type_definition', 'declaration', 'field_declaration'],
  containers: [...PREPROCESSOR, 'linkage_specification', 'declaration_list'],
  groups: PREPROCESSOR,
  names: {
    reference_declarator: 'first',
    parenthesized_declarator: 'first',
    attributed_declarator: 'first',
    operator_name: 'itself',
    operator_cast: 'from:operator',
    destructor_name: 'itself',
    expression_statement: 'none',
    template_declaration: 'common concept_definition alias_declaration declaration',
  },
} as const satisfies Row;

const CPP = {
  ...C,
  aliases: ['c++', 'cc', 'cxx', 'hpp'],
  units: { ...C.units, class_specifier: 'class', lambda_expression: '' },
  spaces: { namespace_definition: 'namespace', linkage_specification: 'extern' },
  wrappers: [...C.wrappers, 'template_declaration'],
  containers: [...C.containers, 'namespace_definition'],
} as const satisfies Row;

const JAVASCRIPT = {
  units: {
    ...wordless(`function_declaration generator_function_declaration function_expression function
      generator_function arrow_function method_definition`),
    class_declaration: 'class',
    class: 'class',
  },
  worded: ['expression_statement'],
  spaces: calls('expression_statement', 'describe context suite it test t.test'),
  wrappers: words(
    'export_statement lexical_declaration variable_declaration variable_declarator pair expression_statement assignment_expression field_definition public_field_definition',
  ),
  leads: ['decorator'],
  containers: words(`expression_statement expression_statement:describe 
    expression_statement:context expression_statement:suite call_expression await_expression arguments parenthesized_expression unary_expression
    statement_block if_statement else_clause try_statement catch_clause finally_clause export_statement
    ambient_declaration internal_module module arrow_function function function_expression`),
  calls: ['call_expression', 'arguments', 'parenthesized_expression', 'unary_expression', 'await_expression'],
  names: {
    arrow_function: 'none',
    export_statement: 'declaration',
    variable_declarator: 'common',
    lexical_declaration: 'variable_declarator',
    variable_declaration: 'variable_declarator',
    expression_statement: 'assignment_expression call_expression await_expression',
    assignment_expression: 'left',
    await_expression: 'call_expression',
    member_expression: 'itself',
    subscript_expression: 'itself',
    call_expression: 'call',
    pair: 'key',
    object: 'none',
    identifier: 'itself',
  },
} as const satisfies Row;

const TYPESCRIPT = {
  ...JAVASCRIPT,
  units: {
    ...JAVASCRIPT.units,
    abstract_class_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    function_signature: '',
  },
  spaces: {
    ...JAVASCRIPT.spaces,
    internal_module: 'namespace',
    module: 'module',
    type_alias_declaration: 'type',
  },
  wrappers: [...JAVASCRIPT.wrappers, 'ambient_declaration'],
  names: {
    ...JAVASCRIPT.names,
    ambient_declaration: 'common declaration first',
    expression_statement: `${JAVASCRIPT.names.expression_statement} internal_module`,
  },
} as const satisfies Row;

const RUBY_GROUPS = calls(
  'call',
  `describe RSpec.describe context RSpec.context feature shared_examples shared_examples_for shared_context
  namespace`,
);

const ROWS: Readonly<Record<LanguageName, Row>> = {
  bash: {
    isBundled: true,
    aliases: ['sh', 'shell', 'zsh'],
    units: { function_definition: '' },
    containers: ['if_statement', 'elif_clause', 'else_clause', 'case_statement', 'case_item'],
    names: { declaration_command: 'variable_assignment common' },
  },
  c: { ...C, aliases: ['h'] },
  cpp: CPP,
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
    wrappers: ['global_statement'],
    containers: ['namespace_declaration', 'file_scoped_namespace_declaration', 'declaration_list'],
    names: {
      operator_declaration: 'from:operator',
      conversion_operator_declaration: 'from:operator',
      indexer_declaration: 'from:this',
      event_field_declaration: 'variable_declaration',
      field_declaration: 'variable_declaration',
      local_declaration_statement: 'variable_declaration',
      variable_declaration: 'variable_declarator',
      global_statement: 'local_declaration_statement',
      if_directive: 'none',
      elif_directive: 'none',
    },
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
    names: {
      method_signature: `function_signature getter_signature setter_signature constructor_signature
        factory_constructor_signature constant_constructor_signature operator_signature`.replace(/\s+/g, ' '),
      constructor_signature: 'identifiers',
      factory_constructor_signature: 'identifiers',
      constant_constructor_signature: 'identifiers',
      operator_signature: 'from:operator',
      declaration: `function_signature constructor_signature constant_constructor_signature getter_signature
        setter_signature operator_signature initialized_identifier_list`.replace(/\s+/g, ' '),
      initialized_identifier_list: 'first',
      static_final_declaration_list: 'first',
      type_arguments: 'none',
      type_alias: 'parameters common',
    },
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
    containers: words('call:defmodule call:defprotocol call:defimpl call:describe do_block'),
    names: { call: 'arguments', arguments: 'string *' },
  },
  go: {
    aliases: ['golang'],
    units: { function_declaration: '', method_declaration: '', type_declaration: 'type', func_literal: '' },
    containers: ['type_declaration', 'const_declaration', 'var_declaration', 'var_spec_list'],
    groups: ['type_declaration', 'const_declaration', 'var_declaration', 'var_spec_list'],
    names: {
      type_declaration: 'type_spec type_alias',
      const_declaration: 'const_spec',
      var_declaration: 'var_spec var_spec_list',
      var_spec_list: 'var_spec',
      const_spec: 'identifiers',
      var_spec: 'identifiers',
    },
  },
  haskell: {
    isBundled: true,
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
    names: { function: 'name infix parens', infix: 'operator', function_head_parens: 'infix parens' },
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
    names: { property_declaration: 'variable_declaration' },
  },
  lua: {
    isBundled: true,
    units: { function_declaration: '', function_definition: '' },
    worded: ['function_call'],
    spaces: calls('function_call', 'describe context it'),
    wrappers: ['variable_declaration', 'assignment_statement', 'expression_list', 'field'],
    containers: words(
      'function_call function_call:describe function_call:context arguments function_definition block do_statement if_statement',
    ),
    calls: ['function_call', 'arguments'],
    names: {
      function_call: 'call common',
      variable_declaration: 'assignment_statement common',
      assignment_statement: 'variable_list',
    },
  },
  markdown: {
    isBundled: true,
    aliases: ['md'],
    spaces: { section: '', fenced_code_block: '' },
    names: { section: 'atx_heading', atx_heading: 'inline', setext_heading: 'paragraph' },
  },
  perl: {
    isBundled: true,
    aliases: ['pl', 'pm'],
    units: {
      ...wordless('subroutine_declaration_statement method_declaration_statement'),
      class_statement: 'class',
    },
    spaces: { package_statement: 'package' },
    containers: ['package_statement', 'block'],
    names: {
      expression_statement:
        'assignment_expression ambiguous_function_call_expression function_call_expression',
      assignment_expression: 'left',
      variable_declaration: 'variable',
      ambiguous_function_call_expression: 'call',
      function_call_expression: 'call',
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
    containers: ['namespace_definition', 'compound_statement', 'if_statement', 'else_clause'],
    names: {
      const_declaration: 'const_element',
      property_declaration: 'property_element',
      property_element: 'first',
      expression_statement: 'assignment_expression function_call_expression',
      assignment_expression: 'left',
      variable_name: 'itself',
      function_call_expression: 'call',
    },
  },
  python: {
    aliases: ['py', 'python3'],
    units: { function_definition: '', class_definition: 'class' },
    wrappers: ['decorated_definition'],
    containers:
      words(`if_statement elif_clause else_clause try_statement except_clause finally_clause with_statement
      block`),
    names: {
      expression_statement: 'assignment',
      assignment: 'left',
      type_alias_statement: 'left type',
      type: 'itself',
    },
  },
  r: {
    isBundled: true,
    units: { function_definition: '' },
    worded: ['call'],
    spaces: calls('call', 'setClass setGeneric setMethod setValidity test_that describe it'),
    wrappers: ['binary_operator', 'argument'],
    names: {
      binary_operator: 'lhs',
      extract_operator: 'itself',
      function_definition: 'none',
      call: 'call common',
    },
  },
  ruby: {
    aliases: ['rb'],
    units: { method: '', singleton_method: '', class: 'class', singleton_class: 'class' },
    worded: ['call'],
    spaces: {
      module: 'module',
      ...RUBY_GROUPS,
      ...calls('call', 'it specify example scenario test should task define_method'),
    },
    wrappers: [
      ...Object.keys(calls('call', 'private protected public private_class_method module_function memoize')),
      'argument_list',
    ],
    containers: ['module', 'body_statement', 'do_block', 'block', 'block_body', ...Object.keys(RUBY_GROUPS)],
    names: {
      call: 'call common',
      ...Object.fromEntries(
        Object.keys(calls('call', 'attr_accessor attr_reader attr_writer')).map((key) => [key, 'call']),
      ),
    },
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
    containers: ['mod_item', 'foreign_mod_item', 'declaration_list'],
    names: { impl_item: 'type' },
  },
  scala: {
    isBundled: true,
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
    containers: ['package_clause', 'template_body', 'extension_definition'],
    leads: ['annotation'],
  },
  sql: { isBundled: true, spaces: { statement: '' }, names: { statement: '*' } },
  swift: {
    isBundled: true,
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
    isBundled: true,
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
    names: { test_declaration: 'string identifier' },
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
  containers: [],
  groups: [],
  calls: [],
  names: {},
};

export const MARKUP: Rules = {
  ...NO_RULES,
  spaces: { element: '', block: '', front_matter: '' },
  openings: ['start'],
  closings: ['end'],
};

/** Sorted by name. */
export const LANGUAGES: readonly Language[] = (Object.keys(ROWS) as LanguageName[]).map((name) => ({
  name,
  aliases: [],
  isBundled: false,
  grammar: name,
  ...NO_RULES,
  ...ROWS[name],
}));

const BY_NAME: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) =>
    [language.name, ...language.aliases].map((name): [string, Language] => [name, language]),
  ),
);

/** Finds a language by its name or alias, case-insensitively. */
export function findLanguage(name: string): Language | undefined {
  return BY_NAME.get(name.toLowerCase());
}
