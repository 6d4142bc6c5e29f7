/** Where the root element or the document type begins, after a declaration, other instructions, and comments. */
const PROLOG = /^\uFEFF?\s*(<\?xml\b[^>]*>)?(?:\s+|<\?[^>]*>|<!--[\s\S]*?-->)*/;
const HTML = /^<(?:!doctype\s+)?html\b/i;
const DOCUMENT_TYPE = /^<!DOCTYPE\s+[\w:.-]+[\s[>]/;
/** The root of a vocabulary of its own; pictures within pages also say which they have. */
const WITH_NAMESPACE = /^<(?!svg\b)[\w:.-]+\s[^<>]{0,1000}\bxmlns(?::[\w.-]+)?\s*=/;
const TAG = /<[A-Za-z_!?/:]/;

/** Names of templates and components, which may begin with the declaration of what they make. */
const TEMPLATES =
  /\.(?:php|erb|rhtml|ejs|jinja2?|j2|njk|twig|liquid|hbs|handlebars|mustache|vue|svelte|astro)$/i;

/** Whether a text is XML whatever its name says: by its declaration or its document type. */
export function isXml(sample: string, filename: string): boolean {
  const [prolog = '', declaration] = PROLOG.exec(sample) ?? [];
  const root = sample.slice(prolog.length);
  if (HTML.test(root) || TEMPLATES.test(filename)) return false;
  return declaration !== undefined || DOCUMENT_TYPE.test(root);
}

/** Whether a text without a name is XML by the namespace of its root. */
export function hasNamespace(sample: string): boolean {
  const [prolog = ''] = PROLOG.exec(sample) ?? [];
  const root = sample.slice(prolog.length);
  return WITH_NAMESPACE.test(root) && !HTML.test(root);
}

/** Whether a text has any tags; only then a name of XML counts. */
export function hasTags(sample: string): boolean {
  return TAG.test(sample);
}
