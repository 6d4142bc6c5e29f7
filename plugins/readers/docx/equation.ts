import { decodeReferences } from '../../toolkit/markup/index.ts';
import { EquationWriter } from '../../toolkit/office/index.ts';
import { attributeOf } from './elements.ts';

const TOKEN = /<(\/?)m:(\w+)([^<>]*)>|<[^<>]*>|[^<]+/g;

/** Writes an equation (`m:oMath`) as one line of escaped XML text: `(a+b)/2`, `√(3&amp;x)`. */
export function writeEquation(omml: string): string {
  const writer = new EquationWriter();
  for (const [token, slash, name, attributes = ''] of omml.matchAll(TOKEN)) {
    if (name === undefined) {
      if (!token.startsWith('<')) writer.text(decodeReferences(token));
    } else if (slash === '/') writer.close();
    else {
      const value = attributeOf(attributes, 'val');
      writer.open(name, value === undefined ? undefined : decodeReferences(value));
      if (attributes.endsWith('/')) writer.close();
    }
  }
  return writer.end().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
