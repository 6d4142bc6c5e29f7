import { withoutMacros } from './macros.ts';
import type { Row } from './rules.ts';

/** Blocks whose units are listed. */
const PREPROCESSOR = ['preproc_if', 'preproc_ifdef', 'preproc_elif', 'preproc_elifdef', 'preproc_else'];

export const C = {
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

export const CPP = {
  ...C,
  aliases: ['c++', 'cc', 'cxx', 'hpp'],
  units: { ...C.units, class_specifier: 'class', lambda_expression: '' },
  spaces: { namespace_definition: 'namespace', linkage_specification: 'extern' },
  wrappers: [...C.wrappers, 'template_declaration'],
  containers: [...C.containers, 'namespace_definition'],
} as const satisfies Row;
