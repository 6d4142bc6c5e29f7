#include <stdint.h>

/*
 * Adds 1/distance for each two ids that are at most `window` apart, both ways, to the rows
 * [first, end) of a matrix of `columns` columns. An id of -1 ends a paragraph.
 */
void count(const int32_t *ids, int64_t length, int columns, int window, int first, int end, float *matrix) {
  for (int64_t at = 0; at < length; at++) {
    int one = ids[at];
    if (one < 0) continue;
    for (int distance = 1; distance <= window && at + distance < length; distance++) {
      int other = ids[at + distance];
      if (other < 0) break;
      float weight = 1.0f / distance;
      if (one >= first && one < end) matrix[(int64_t)(one - first) * columns + other] += weight;
      if (other >= first && other < end) matrix[(int64_t)(other - first) * columns + one] += weight;
    }
  }
}
