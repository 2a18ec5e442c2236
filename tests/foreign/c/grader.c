// Accuracy of `Transported` once more, in C, and beside it what a C library makes of a machine that is not there.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "competition.h"

static const char COMPETITION[] = "spaceship-titanic";
static const char METRIC[] = "accuracy";
static const char *const COLUMNS[2] = {"PassengerId", "Transported"};

// A table of two columns, in the order of COLUMNS. The cells lie in the text of the file.
typedef struct { char *cell[2]; } row_t;
typedef struct { row_t *rows; size_t count; } table_t;

static char message[512];

static bool fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return false;
}

// The whole file, with a zero after its end.
static char *read_file(podium_grading_files_own_file_t own) {
  podium_grading_files_borrow_file_t file = podium_grading_files_borrow_file(own);
  uint64_t size = podium_grading_files_method_file_size(file), offset = 0;
  char *text = malloc(size + 1);
  while (offset < size) {
    competition_list_u8_t piece;
    podium_grading_files_method_file_read(file, offset, 1 << 20, &piece);
    memcpy(text + offset, piece.ptr, piece.len);
    offset += piece.len;
    competition_list_u8_free(&piece);
  }
  text[size] = '\0';
  return text;
}

// Cuts the next cell out of the text; `*last` says whether the line ends behind it.
static char *next_cell(char **at, bool *last) {
  char *begin = *at, *to = *at, *from = *at;
  bool quoted = *from == '"';
  for (from += quoted; *from; from++) {
    if (quoted && from[0] == '"') {
      if (from[1] != '"') { quoted = false; continue; }
      from++;
    } else if (!quoted && (*from == ',' || *from == '\n')) {
      break;
    }
    if (quoted || *from != '\r') *to++ = *from;
  }
  *last = *from != ',';
  *at = from + (*from != '\0');
  *to = '\0';
  return begin;
}

static bool read_table(char *at, table_t *table) {
  int place[2] = {-1, -1};
  bool last = false;
  if (*at == '\0') return fail("the file is empty");
  int width = 0;
  for (; !last; width++) {
    char *name = next_cell(&at, &last);
    for (int column = 0; column < 2; column++)
      if (strcmp(name, COLUMNS[column]) == 0) place[column] = width;
  }
  for (int column = 0; column < 2; column++)
    if (place[column] < 0) return fail("the column `%s` is missing", COLUMNS[column]);
  size_t lines = 0;
  for (char *character = at; *character; character++) lines += *character == '\n';
  table->rows = calloc(lines + 1, sizeof(row_t));
  for (table->count = 0; *at; table->count++) {
    row_t *row = &table->rows[table->count];
    int cells = 0;
    for (last = false; !last; cells++) {
      char *cell = next_cell(&at, &last);
      for (int column = 0; column < 2; column++)
        if (cells == place[column]) row->cell[column] = cell;
    }
    if (cells != width)
      return fail("row %zu has %d cells, the header %d", table->count + 1, cells, width);
    if (row->cell[1][0] == '\0')
      return fail("column `%s`, row %zu (id `%.99s`): the cell is empty", COLUMNS[1],
                  table->count + 1, row->cell[0]);
  }
  return true;
}

static int by_id(const void *left, const void *right) {
  return strcmp(((const row_t *)left)->cell[0], ((const row_t *)right)->cell[0]);
}

// Sorts by id; no id may be there twice.
static bool sort(table_t *table) {
  qsort(table->rows, table->count, sizeof(row_t), by_id);
  for (size_t row = 1; row < table->count; row++)
    if (by_id(&table->rows[row - 1], &table->rows[row]) == 0)
      return fail("the id `%.99s` is there more than once", table->rows[row].cell[0]);
  return true;
}

static bool score(table_t *predicted, table_t *expected, double *value) {
  if (!sort(predicted)) return false;
  if (predicted->count != expected->count)
    return fail("there are %zu rows, expected are %zu", predicted->count, expected->count);
  size_t hits = 0;
  for (size_t row = 0; row < expected->count; row++) {
    if (by_id(&predicted->rows[row], &expected->rows[row]) != 0)
      return fail("the id `%.99s` is not among those to predict", predicted->rows[row].cell[0]);
    hits += strcmp(predicted->rows[row].cell[1], expected->rows[row].cell[1]) == 0;
  }
  *value = (double)hits / (double)expected->count;
  return true;
}

static void measure(exports_podium_grading_grader_score_t *score, const char *name, double value) {
  exports_podium_grading_grader_measure_t *next = &score->measures.ptr[score->measures.len++];
  competition_string_dup(&next->name, name);
  next->value = value;
}

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void what_the_machine_tells(exports_podium_grading_grader_score_t *score) {
  score->measures.ptr = calloc(6, sizeof(exports_podium_grading_grader_measure_t));
  double begin = seconds(CLOCK_MONOTONIC);
  sleep(3);
  measure(score, "wall clock", seconds(CLOCK_REALTIME));
  measure(score, "slept", seconds(CLOCK_MONOTONIC) - begin);
  uint32_t random = 0;
  getentropy(&random, sizeof random);
  measure(score, "random", random);
  measure(score, "environment", getenv("HOME") != NULL);
  measure(score, "files", fopen("/etc/passwd", "r") != NULL);
  measure(score, "standard input", getchar() != EOF);
  printf("graded by C\n");
  fprintf(stderr, "a random number: %u\n", (unsigned)random);
}

void exports_podium_grading_grader_describe(exports_podium_grading_grader_description_t *says) {
  competition_string_dup(&says->competition, COMPETITION);
  competition_string_dup(&says->metric, METRIC);
  says->direction = EXPORTS_PODIUM_GRADING_GRADER_DIRECTION_HIGHER_IS_BETTER;
}

bool exports_podium_grading_grader_grade(
    exports_podium_grading_grader_own_file_t submission,
    exports_podium_grading_grader_list_own_file_t *answers,
    exports_podium_grading_grader_score_t *result,
    exports_podium_grading_grader_failure_t *failure) {
  table_t predicted, expected;
  result->measures.ptr = NULL;
  result->measures.len = 0;
  if (!read_table(read_file(answers->ptr[0]), &expected) || !sort(&expected)) {
    failure->tag = EXPORTS_PODIUM_GRADING_GRADER_FAILURE_INVALID_ANSWERS;
    competition_string_dup(&failure->val.invalid_answers, message);
    return false;
  }
  if (!read_table(read_file(submission), &predicted) ||
      !score(&predicted, &expected, &result->value)) {
    failure->tag = EXPORTS_PODIUM_GRADING_GRADER_FAILURE_INVALID_SUBMISSION;
    competition_string_dup(&failure->val.invalid_submission, message);
    return false;
  }
  what_the_machine_tells(result);
  return true;
}
