import { calls, type Row, wordless } from './rules.ts';

export const JAVASCRIPT = {
  units: {
    ...wordless(`function_declaration generator_function_declaration function_expression function
      generator_function arrow_function method_definition`),
    class_declaration: 'class',
    class: 'class',
  },
  worded: ['expression_statement'],
  spaces: calls('expression_statement', 'describe context suite it test t.test'),
  wrappers: [
    'export_statement',
    'lexical_declaration',
    'variable_declaration',
    'variable_declarator',
    'pair',
    'expression_statement',
    'assignment_expression',
    'field_definition',
    'public_field_definition',
  ],
  leads: ['decorator'],
  containers: `expression_statement expression_statement:describe 
    expression_statement:context expression_statement:suite call_expression await_expression arguments parenthesized_expression unary_expression
    statement_block if_statement else_clause try_statement catch_clause finally_clause export_statement
    ambient_declaration internal_module module arrow_function function function_expression`.split(/\s+/),
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

export const TYPESCRIPT = {
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
