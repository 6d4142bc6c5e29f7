import { shapesOf } from '../shapes.ts';

/** Texts that are hard on readers of tables. */
export const HOSTILE_SHAPES = shapesOf(
  ...['«a,»', '«x»', 'a,b\n"«x\n»",1\n', '«a,"b\n»c,"«""»', '"«""»"', '",«,""»', '«"»', '«"a"b,»', '«a\n»'],
  ...['a,b\n«\n»1,2\n', '«a,b\r»', '«,;\t|»', '«a,»\n«1,2\n»', '«# a\n»', '«|a|b|\n|-|-|\n|1|2|\n\n»'],
  ...['|a|\n|-|\n«|1|\n»', '«|-»', '«|-|\n»', '|a|\n|-|\n|«\\|»|\n', '«<table><tr><td>»'],
  ...['<table>«<tr><th>»', '«<table><tr><td>1</table>»', '<table><tr>«<td>»', '<table>«</table>»'],
  ...['<table «<td »', '<table>«<td a="»', '<table>«<!-- »', '<table>«<script>»', '<table>«<»'],
  ...['<table>« »<tr>« »<tr>', '«\0,\ud83d\n\ude00,»', '«Words. »\n\n|a|\n|-|\n|1|\n\n«Words. »'],
);
