/** Endings of files that programs write into the title; a title of several words has none of the second kind by chance. */
const ENDING =
  /\.(?:dvi|pdf|e?ps|tex|doc[xm]?|dot[xm]?|rtf|od[tspg]|sxw|ppt[xm]?|pps[xm]?|xls[xmb]?|pub|indd|qx[dp]|fm|wp[ds]|pmd|p65|lyx|mif|cdr|tiff?|jpe?g|png)$/i;
const ENDING_OF_ONE_WORD = /^\S+\.(?:txt|text|md|html?|csv|log|xml|key|pages|numbers|book|ai|prn)$/i;
const PROGRAM = /^Microsoft (?:Office )?\p{L}+ - /u;
const PATH = /^(?:[a-z]:\\|\\\\|\/\S+\/|file:)/i;
const PLACEHOLDER = /^(?:untitled|document|unnamed)(?:[-_ ]?\d+)?$/i;

/** Whether a title is not one, but the name of the file from which a program made the PDF, or a placeholder. */
export function isFileName(title: string): boolean {
  return [ENDING, ENDING_OF_ONE_WORD, PROGRAM, PATH, PLACEHOLDER].some((pattern) => pattern.test(title));
}
