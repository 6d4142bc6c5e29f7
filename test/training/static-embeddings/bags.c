#include <stdint.h>
#include <string.h>
#include <omp.h>

/* A bag is the tokens [starts[bag], starts[bag + 1]); the last one ends at `tokens`. */
static int64_t end_of(const int64_t *starts, int64_t bags, int64_t tokens, int64_t bag) {
  return bag + 1 < bags ? starts[bag + 1] : tokens;
}

/* Sums the weighted rows of each bag. Each thread has bags of its own. */
void forward(const float *rows, const int64_t *ids, const int64_t *starts, int64_t bags, int64_t tokens,
             const float *weights, int width, float *sums) {
#pragma omp parallel for schedule(static)
  for (int64_t bag = 0; bag < bags; bag++) {
    float *sum = sums + bag * width;
    memset(sum, 0, sizeof(float) * width);
    for (int64_t at = starts[bag]; at < end_of(starts, bags, tokens, bag); at++) {
      const float *row = rows + ids[at] * width;
      float weight = weights[ids[at]];
      for (int column = 0; column < width; column++) sum[column] += weight * row[column];
    }
  }
}

/* Gradients of rows and weights. Each thread has ids of its own, so no two write to the same place. */
void backward(const float *rows, const int64_t *ids, const int64_t *starts, int64_t bags, int64_t tokens,
              const float *weights, int width, const float *gradients, float *row_gradients,
              float *weight_gradients) {
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    for (int64_t bag = 0; bag < bags; bag++) {
      const float *gradient = gradients + bag * width;
      for (int64_t at = starts[bag]; at < end_of(starts, bags, tokens, bag); at++) {
        int64_t id = ids[at];
        if (id % threads != thread) continue;
        const float *row = rows + id * width;
        float *row_gradient = row_gradients + id * width;
        float weight = weights[id], product = 0;
        for (int column = 0; column < width; column++) {
          row_gradient[column] += weight * gradient[column];
          product += row[column] * gradient[column];
        }
        weight_gradients[id] += product;
      }
    }
  }
}
