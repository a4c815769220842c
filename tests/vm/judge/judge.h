/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.h - what the parts of the judge share: cells, tables, TRUTH lines, rules.
 *
 * The judge compares tables that ktally printed with TRUTH lines in which a
 * workload measured itself, by the rules of a case's expected.txt. It runs once
 * and ends, so what it allocates stays allocated. It knows nothing of ktally: it
 * reads CSV and JSON with parsers of its own, stricter than users' ones.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>
#include <stddef.h>

struct words {
	char **at;
	size_t n;
};

/* One value. A number keeps its text, so that equality can ask for both. */
struct cell {
	enum { UNKNOWN, TEXT, NUMBER, LIST } type;
	char *text;
	long double num;
	struct words list;
};

struct row {
	struct cell *cells;	/* as many as the table has columns */
	size_t n;
};

struct table {
	char *name;		/* file name without folder and ending */
	const char *file;
	struct words cols;
	struct row *rows;
	size_t n_rows;
	struct table *document;	/* JSON: one row, what stands beside the list of rows */
};

struct pair {
	char *key;
	struct cell value;
};

/* One TRUTH line. */
struct truth {
	int line;
	struct pair *pairs;
	size_t n;
};

struct truths {
	struct truth *at;
	size_t n;
};

/* left OP right, still as written; evaluated against a truth and a row. */
struct check {
	char *text;
	char *left;
	enum { EQ, NE, LT, LE, GT, GE, ABOUT } op;
	char *right;
};

struct checks {
	struct check *at;
	size_t n;
};

/* One line of expected.txt. */
struct rule {
	int line;
	char *section;		/* which table */
	struct checks which;	/* TRUTH lines that it is about: key=glob */
	long times;		/* so many TRUTH lines must match; or: */
#define AT_LEAST_ONCE	(-1)
#define ANY_TIMES	(-2)
	bool each;		/* any number of rows but none, each must pass */
	bool rowless;		/* only the TRUTH line is looked at */
	struct checks select;	/* rows */
	struct checks checks;
};

struct rules {
	struct rule *at;
	size_t n;
};

/* What an expression may refer to. */
struct scope {
	const struct truths *truths;
	const struct truth *truth;	/* NULL: none */
	const struct table *table;
	const struct row *row;		/* NULL: none */
	const struct row **picked;	/* for count, sum, ... */
	size_t n_picked;
};

/* words.c: memory, words, texts */
void refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void *grow(void *array, size_t n, size_t size);	/* room for element n */
char *room(size_t bytes);			/* zeroed */
char *text_of(const char *p, size_t len);
char *read_whole(const char *path, size_t *len);
void words_add(struct words *w, char *word);
bool shell_words(const char *text, struct words *out);
char *hex_of(const char *text);
char *fnv_of(const struct words *w);
void cell_text(struct cell *c, char *text);
struct cell cell_number(long double num);

/* table.c, csv.c, json.c: give columns and rows or refuse */
struct table *table_read(const char *path);
size_t table_column(struct table *t, const char *name);	/* found or added */
int table_find(const struct table *t, const char *name);	/* -1: no such column */
struct cell *table_cell(struct table *t, size_t row, size_t col);
void csv_read(struct table *t, const char *text, size_t len);
void json_read(struct table *t, const char *text, size_t len);
void jsonl_read(struct table *t, const char *text, size_t len);

/* truth.c, rules.c */
void truths_read(struct truths *all, const char *path);
const struct cell *truth_get(const struct truth *t, const char *key);
void rules_read(struct rules *all, const char *path);

/* eval.c */
bool is_aggregate(const char *left);
/* true: holds; false: does not, or could not be evaluated; why then says what was wanted and found */
bool check_holds(const struct check *c, const struct scope *s, char *why, size_t size);

#endif
