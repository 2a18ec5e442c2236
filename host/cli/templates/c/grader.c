// Accuracy of `label`, rows matched by `id`.
//
// `competition.h` says what the host calls and what it lends.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "competition.h"

static const char COMPETITION[] = "{{id}}";
static const char METRIC[] = "accuracy";
static const char *const COLUMNS[2] = {"id", "label"};

// A table of two columns, in the order of COLUMNS. The cells lie in the text of the file.
typedef struct { char *cell[2]; } row_t;
typedef struct { row_t *rows; size_t count; } table_t;

static char message[512];

// How many bytes the UTF-8 character at `at` has; 0 if there is none.
static int character(const unsigned char *at) {
  int length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
  for (int next = 1; next < length; next++)
    if ((at[next] & 0xC0) != 0x80) return 0;
  if (at[0] > 0xF4 || (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
      (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F)) return 0;
  return length;
}

// Notes what is wrong. A message has to be UTF-8 whatever the file holds, so that bytes that are none, and those of a
// character that was cut, become question marks.
static bool fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  for (char *at = message; *at;) {
    int length = character((unsigned char *)at);
    if (length == 0) *at = '?';
    at += length == 0 ? 1 : length;
  }
  return false;
}

// Memory that begins as zeros. Without it there is no result, so the grading ends here: 0 is an address like any other.
static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) __builtin_trap();
  return memory;
}

// The whole file, with a zero after its end.
static char *read_file(podium_grading_files_own_file_t own) {
  podium_grading_files_borrow_file_t file = podium_grading_files_borrow_file(own);
  uint64_t size = podium_grading_files_method_file_size(file), offset = 0;
  char *text = allocate(size + 1, 1);
  while (offset < size) {
    competition_list_u8_t piece;
    podium_grading_files_method_file_read(file, offset, 1 << 20, &piece);
    memcpy(text + offset, piece.ptr, piece.len);
    offset += piece.len;
    competition_list_u8_free(&piece);
  }
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
  table->rows = allocate(lines + 1, sizeof(row_t));
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
  return true;
}
