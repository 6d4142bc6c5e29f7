/** Request parameter of chunkers that find numbered headings. This file has only data, so manifests can import it. */
export const numberedHeadings = {
  type: 'boolean',
  default: false,
  description:
    'Whether lines that are headings only by their number (Article 5, § 3 Scope, 2.1.4 Scope, II., 第一章) count as headings: if their numbers form a sequence in the whole text.',
} as const;
