#include <math.h>
#include <stdint.h>
#include <string.h>

/* Text t is the parts [starts[t], starts[t + 1]): its sum is that of their rows, each counted `times` and by its weight. */
void add_up(const float *rows, const float *logarithms, int width, const int32_t *parts, const float *times,
            const int64_t *starts, int64_t texts, float *sums) {
#pragma omp parallel for schedule(dynamic, 16)
  for (int64_t text = 0; text < texts; text++) {
    float *sum = sums + text * width;
    memset(sum, 0, sizeof(float) * width);
    for (int64_t at = starts[text]; at < starts[text + 1]; at++) {
      const float *row = rows + (int64_t)parts[at] * width;
      float weight = times[at] * expf(logarithms[parts[at]]);
      for (int column = 0; column < width; column++) sum[column] += weight * row[column];
    }
  }
}

static void move(float *value, float *mean, float *square, float gradient, float rate) {
  *mean = 0.9f * *mean + 0.1f * gradient;
  *square = 0.98f * *square + 0.02f * gradient * gradient;
  *value -= rate * *mean / (sqrtf(*square) + 1e-9f);
}

/* Moves the rows and weights of parts by Adam's rule. Occurrences are sorted by part: those of the n-th part of `ids` are
   [begins[n], begins[n + 1]), and `texts` has the text of each. `row_moments` and `moments` have two numbers for each value. */
void learn(float *rows, float *logarithms, int width, const int32_t *ids, const int64_t *begins, int64_t count,
           const int32_t *texts, const float *times, const float *gradients, float *row_moments, float *moments,
           float rate, float weight_rate) {
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t n = 0; n < count; n++) {
    int64_t id = ids[n];
    float *row = rows + id * width, *row_moment = row_moments + 2 * id * width;
    float total[width], weight = expf(logarithms[id]), product = 0;
    memset(total, 0, sizeof total);
    for (int64_t at = begins[n]; at < begins[n + 1]; at++) {
      const float *gradient = gradients + (int64_t)texts[at] * width;
      for (int column = 0; column < width; column++) total[column] += times[at] * gradient[column];
    }
    for (int column = 0; column < width; column++) {
      product += total[column] * row[column];
      move(row + column, row_moment + column, row_moment + width + column, weight * total[column], rate);
    }
    move(logarithms + id, moments + 2 * id, moments + 2 * id + 1, weight * product, weight_rate);
  }
}
