import { shapesOf } from '../shapes.ts';

/** XML that makes parsers quadratic or overflows their stack. */
export const HOSTILE_SHAPES = shapesOf(
  ...['«<a>»', '«<a>»«</a>»', '«<a>x»«</a>y»', '«<a><b/>»«</a>»', '«<a>»x«<b/></a>»', '«<a><b>x</b>»«</a>»'],
  ...[
    '«<a><b><c/><c/></b>»«</a>»',
    '<r>«<a>x</a>»</r>',
    '<r>«<a/>»</r>',
    '<r>«x<a/>»</r>',
    '«</a>»',
    'x«</a></b>»',
  ],
  ...['<p>«word »</p>', '<p>«word. <i>x</i> »</p>', '<p>«<i>»x«</i>»</p>', '<p>a«<i>»x«</i>y»</p>'],
  ...[
    '«<!--»',
    '«<!-- a -->»',
    '<r>«<!-- a --><b/>»</r>',
    '«<![CDATA[»',
    '<r>«<![CDATA[a b]]>»</r>',
    '«<?»',
    '«<?a ?>»',
  ],
  ...[
    '«<!A [»',
    '«<!A [»«]»<',
    '«<!A "»',
    '<!DOCTYPE a [«<!ENTITY a "b">»]><a/>',
    '«<»',
    '«</»',
    '«<a »',
    '«<a b="»',
    "«<a b='< »",
  ],
  ...['<a b="«x »"/>', '<a «b="c" »/>', '<a>«&amp;»</a>', '<a>«&»</a>', '<a>«&a»</a>', '<a b="«&#10;»"/>'],
  ...[
    '«<sec><title>T</title>»«</sec>»',
    '<body>«<sec><title>T</title><p>x</p></sec>»</body>',
    '<body>«<h2>x</h2>»</body>',
  ],
  ...[
    '«<sec><title>T</title><p/><p>x</p>»«</sec>»',
    '<r>«<a>\n»«</a>\n»</r>',
    '<r>«  \n»</r>',
    '«<a1>»«<a2>x»',
  ],
);
