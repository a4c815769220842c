// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * help.c - help, the manual's list of commands and the shells' completion, all
 * made from the tables that parse the options.
 *
 * `ktally help man` and `ktally help bash|zsh|fish` print what lies in man/ and
 * completion/; a test compares them, so that neither can grow stale.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/ktally.h"
#include "out/text.h"

enum { HELP_WIDTH = 80, HELP_INDENT = 27 };

/* Words of `text`, wrapped; the first line begins at column `at`, others at `indent`. */
static void put_wrapped(FILE *f, const char *text, size_t at, size_t indent)
{
	while (*text) {
		size_t len = strcspn(text, " "), width = text_width(text, len);

		if (at > indent && at + 1 + width > HELP_WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			fputc(' ', f);
			at++;
		}
		fwrite(text, 1, len, f);
		at += width;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

static void put_option(FILE *f, const struct cmd *cmd, const struct opt *o)
{
	char left[128], letter = opt_letter(cmd, o);
	int n = 0;

	n += snprintf(left, sizeof(left), letter ? "  -%c, " : "      ", letter);
	n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s%s%s", o->name, o->arg ? " " : "",
		      o->arg ? o->arg : "");
	fputs(left, f);
	if (text_width(left, strlen(left)) + 2 > HELP_INDENT)
		fprintf(f, "\n%*s", HELP_INDENT, "");
	else
		fprintf(f, "%*s", HELP_INDENT - (int)text_width(left, strlen(left)), "");
	put_wrapped(f, o->help, HELP_INDENT, HELP_INDENT);
}

static bool has_own(const struct cmd *cmd, const char *name)
{
	for (size_t g = 0; g < cmd->n_groups; g++)
		for (size_t i = 0; i < cmd->groups[g].n; i++)
			if (!strcmp(cmd->groups[g].opts[i].name, name))
				return true;
	return false;
}

int cmd_help_for(const struct cmd *cmd)
{
	FILE *f = stdout;

	fprintf(f, "usage: ktally %s%s%s\n\n", cmd->name, *cmd->words ? " " : "", cmd->words);
	put_wrapped(f, cmd->about, 0, 0);
	for (size_t g = 0; g < cmd->n_groups; g++) {
		fprintf(f, "\n%s:\n", cmd->groups[g].title);
		for (size_t i = 0; i < cmd->groups[g].n; i++)
			put_option(f, cmd, &cmd->groups[g].opts[i]);
	}
	fprintf(f, "\nAlways:\n");
	if (!has_own(cmd, "quiet"))
		fprintf(f, "  -q, --quiet              only errors and warnings on standard error\n");
	fprintf(f, "  -h, --help               show this\n");
	if (cmd->examples)
		fprintf(f, "\nExamples:\n");
	for (size_t i = 0; cmd->examples && cmd->examples[i]; i++)
		fprintf(f, "  ktally %s\n", cmd->examples[i]);
	if (fflush(f) || ferror(f))
		return say_error(FAILED, "standard output: cannot write the help");
	return DONE;
}

/* Twelve lines: what it is, five examples, where to go on. */
void cmd_usage(int fd)
{
	dprintf(fd,
		"usage: ktally COMMAND [OPTIONS] [-- CMD]\n"
		"What every process cost: CPU, peak memory, lifetime, exit status, exact command.\n"
		"\n"
		"  ktally run -- make -j2         one command: its whole tree's cost\n"
		"  ktally record                  save everything until Ctrl-C, to ktally.ktl\n"
		"  ktally report                  the table of processes in ktally.ktl\n"
		"  ktally commands                how often and how long each command ran\n"
		"  ktally doctor                  what is missing here and how to get it\n"
		"\n"
		"Commands:");
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->bits & CMD_HIDDEN))
			dprintf(fd, " %s", cmd_table[i]->name);
	dprintf(fd, "\nMore: ktally COMMAND --help, ktally help, man ktally.\nVersions of program and module: ktally --version\n");
}

static int list_commands(void)
{
	cmd_usage(STDOUT_FILENO);
	printf("\n");
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->bits & CMD_HIDDEN))
			printf("  %-10s %s\n", cmd_table[i]->name, cmd_table[i]->help);
	return DONE;
}

/* A group that several commands have is described once, in a section of its own. */
static bool shared_group(const struct opt_group *group)
{
	int users = 0;

	for (size_t i = 0; cmd_table[i]; i++)
		for (size_t g = 0; g < cmd_table[i]->n_groups; g++)
			users += cmd_table[i]->groups[g].opts == group->opts;
	return users > 1;
}

/* mdoc: a dot or quote that begins a line is a request, a backslash an escape. */
static void put_mdoc_word(const char *word, size_t len, bool first)
{
	if (first && (*word == '.' || *word == '\''))
		fputs("\\&", stdout);
	for (size_t i = 0; i < len; i++) {
		if (word[i] == '\\')
			fputs("\\e", stdout);
		else if (word[i] == '-')
			fputs("\\-", stdout);
		else
			fputc(word[i], stdout);
	}
}

/* Bytes that put_mdoc_word() writes. */
static size_t mdoc_width(const char *word, size_t len)
{
	size_t width = len;

	for (size_t i = 0; i < len; i++)
		width += word[i] == '-' || word[i] == '\\';
	return width;
}

/* Wrapped, and a new line after every sentence, as mdoc wants it. */
static void put_mdoc(const char *text)
{
	size_t column = 0;
	bool ended = false;

	while (*text) {
		size_t len = strcspn(text, " "), width = mdoc_width(text, len);

		if (column && (ended || column + 1 + width > HELP_WIDTH)) {
			fputc('\n', stdout);
			column = 0;
		} else if (column) {
			fputc(' ', stdout);
			column++;
		}
		put_mdoc_word(text, len, !column);
		column += width;
		ended = text[len - 1] == '.' && !(len > 2 && text[len - 2] == '.');
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', stdout);
}

static void man_options(const struct opt_group *group)
{
	printf(".Bl -tag -width Ds\n");
	for (size_t i = 0; i < group->n; i++) {
		const struct opt *o = &group->opts[i];

		printf(".It ");
		if (o->letter)
			printf("Fl %c , ", o->letter);
		printf("Fl \\-%s", o->name);
		if (o->arg)
			printf(" Ar %s", o->arg);
		printf("\n");
		put_mdoc(o->help);
	}
	printf(".El\n");
}

static void man_command(const struct cmd *cmd)
{
	const char *between = ".Pp\nOptions of\n";

	printf(".Ss %s\n.Dl ktally %s%s", cmd->name, cmd->name, *cmd->words ? " " : "");
	put_mdoc_word(cmd->words, strlen(cmd->words), false);
	printf("\n.Pp\n");
	put_mdoc(cmd->about);
	for (size_t g = 0; g < cmd->n_groups; g++)
		if (!shared_group(&cmd->groups[g]))
			man_options(&cmd->groups[g]);
	for (size_t g = 0; g < cmd->n_groups; g++) {
		if (!shared_group(&cmd->groups[g]))
			continue;
		printf("%s.Sx %s", between, cmd->groups[g].title);
		between = " ,\n";
	}
	if (*between == ' ')
		printf("\nwork here.\n");
}

static bool first_user(size_t cmd, const struct opt_group *group)
{
	for (size_t i = 0; i < cmd; i++)
		for (size_t g = 0; g < cmd_table[i]->n_groups; g++)
			if (cmd_table[i]->groups[g].opts == group->opts)
				return false;
	return true;
}

static int man_page_part(void)
{
	printf(".Sh COMMANDS\n");
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->bits & CMD_HIDDEN))
			man_command(cmd_table[i]);
	for (size_t i = 0; cmd_table[i]; i++)
		for (size_t g = 0; g < cmd_table[i]->n_groups; g++) {
			const struct opt_group *group = &cmd_table[i]->groups[g];

			if (!shared_group(group) || !first_user(i, group))
				continue;
			printf(".Sh %s\n", group->title);
			man_options(group);
		}
	return DONE;
}

static void put_columns(const char *between)
{
	const struct ktally_field *field;
	size_t n = ktally_fields(&field);

	for (size_t i = 0; i < n; i++)
		printf("%s%s", i ? between : "", field[i].name);
}

static void bash_values(const struct opt *o)
{
	if (!strcmp(o->words, "@file"))
		printf("COMPREPLY=($(compgen -f -- \"$cur\"))");
	else if (!strcmp(o->words, "@user"))
		printf("COMPREPLY=($(compgen -u -- \"$cur\"))");
	else if (!strcmp(o->words, "@pid"))
		printf("COMPREPLY=($(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$cur\"))");
	else if (!strcmp(o->words, "@column"))
		printf("COMPREPLY=($(compgen -W \"$columns\" -- \"$cur\"))");
	else
		printf("COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))", o->words);
}

/* Verbs stand behind the command's own name. */
static void bash_verbs(const char *verbs)
{
	if (verbs)
		printf("\t\t((COMP_CWORD == 2)) && verbs=\"%s\"\n", verbs);
}

static void bash_command(const struct cmd *cmd)
{
	printf("\t%s)\n\t\tcase $prev in\n", cmd->name);
	for (size_t g = 0; g < cmd->n_groups; g++)
		for (size_t i = 0; i < cmd->groups[g].n; i++) {
			const struct opt *o = &cmd->groups[g].opts[i];

			if (!o->arg)
				continue;
			printf("\t\t--%s", o->name);
			if (opt_letter(cmd, o))
				printf("|-%c", o->letter);
			printf(") ");
			if (o->words) {
				bash_values(o);
				printf("; ");
			}
			printf("return ;;\n");
		}
	printf("\t\tesac\n\t\topts=\"--help --quiet");
	for (size_t g = 0; g < cmd->n_groups; g++)
		for (size_t i = 0; i < cmd->groups[g].n; i++)
			printf(" --%s", cmd->groups[g].opts[i].name);
	printf("\"\n");
	bash_verbs(cmd->verbs);
	printf("\t\t;;\n");
}

static void put_command_names(void)
{
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->bits & CMD_HIDDEN))
			printf("%s%s", i ? " " : "", cmd_table[i]->name);
}

static int bash_completion(void)
{
	printf("# bash completion for ktally; made by: ktally help bash\n\n_ktally()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} opts= verbs= i\n"
	       "\tlocal columns=\"");
	put_columns(" ");
	printf("\"\n\n\tCOMPREPLY=()\n"
	       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	       "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
	       "\t\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n\t\t\treturn\n\t\tfi\n\tdone\n"
	       "\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W \"");
	put_command_names();
	printf(" help --help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n"
	       "\thelp)\n\t\tCOMPREPLY=($(compgen -W \"");
	put_command_names();
	printf("\" -- \"$cur\"))\n\t\treturn\n\t\t;;\n");
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->bits & CMD_HIDDEN))
			bash_command(cmd_table[i]);
	printf("\tesac\n\tif [[ $cur == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$opts\" -- \"$cur\"))\n\telse\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n\tfi\n}\n\n"
	       "complete -o filenames -F _ktally ktally\n");
	return DONE;
}

/* Text inside single quotes and zsh's [description] or fish's -d. */
static void put_quoted(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (*text == '[' || *text == ']' || *text == ':')
			printf("\\%c", *text);
		else
			fputc(*text, stdout);
	}
}

static void zsh_values(const struct opt *o)
{
	printf(":%s:", o->name);
	if (!o->words)
		return;
	if (!strcmp(o->words, "@file"))
		printf("_files");
	else if (!strcmp(o->words, "@user"))
		printf("_users");
	else if (!strcmp(o->words, "@pid"))
		printf("_pids");
	else if (!strcmp(o->words, "@column"))
		printf("($columns)");
	else
		printf("(%s)", o->words);
}

static void zsh_option(const struct cmd *cmd, const struct opt *o)
{
	for (int letter = opt_letter(cmd, o) ? 0 : 1; letter < 2; letter++) {
		printf(" \\\n\t\t\t");
		printf(letter ? "'--%s" : "'-%.1s", letter ? o->name : (const char[]){ o->letter, 0 });
		printf("[");
		put_quoted(o->help);
		printf("]");
		if (o->arg)
			zsh_values(o);
		printf("'");
	}
}

static int zsh_completion(void)
{
	printf("#compdef ktally\n# zsh completion for ktally; made by: ktally help zsh\n\n"
	       "_ktally() {\n\tlocal columns=\"");
	put_columns(" ");
	printf("\"\n\tif ((CURRENT == 2)); then\n\t\tcompadd ");
	put_command_names();
	printf(" help\n\t\treturn\n\tfi\n\tcase $words[2] in\n\thelp)\n\t\tcompadd ");
	put_command_names();
	printf("\n\t\t;;\n");
	for (size_t c = 0; cmd_table[c]; c++) {
		const struct cmd *cmd = cmd_table[c];

		if (cmd->bits & CMD_HIDDEN)
			continue;
		printf("\t%s)\n\t\tshift words\n\t\t((CURRENT--))\n\t\t_arguments -s", cmd->name);
		for (size_t g = 0; g < cmd->n_groups; g++)
			for (size_t i = 0; i < cmd->groups[g].n; i++)
				zsh_option(cmd, &cmd->groups[g].opts[i]);
		if (cmd->verbs)
			printf(" \\\n\t\t\t'1:verb:{compadd %s; _files}'", cmd->verbs);
		printf(" \\\n\t\t\t'*:file:%s'\n\t\t;;\n",
		       cmd->bits & (CMD_RUNS | CMD_STOPS) ? "_command_names" : "_files");
	}
	printf("\tesac\n}\n\n_ktally \"$@\"\n");
	return DONE;
}

static void put_fish(const char *text)
{
	fputc('\'', stdout);
	for (; *text; text++)
		printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
	fputc('\'', stdout);
}

static void fish_option(const struct cmd *cmd, const struct opt *o)
{
	printf("complete -c ktally -n '__fish_seen_subcommand_from %s' -l %s", cmd->name, o->name);
	if (opt_letter(cmd, o))
		printf(" -s %c", o->letter);
	printf(" -d ");
	put_fish(o->help);
	if (!o->arg) {
		printf("\n");
		return;
	}
	printf(o->words && !strcmp(o->words, "@file") ? " -r -F" : " -x");
	if (o->words && !strcmp(o->words, "@user"))
		printf(" -a '(__fish_complete_users)'");
	else if (o->words && !strcmp(o->words, "@pid"))
		printf(" -a '(__fish_complete_pids)'");
	else if (o->words && !strcmp(o->words, "@column"))
		printf(" -a \"$__ktally_columns\"");
	else if (o->words && *o->words != '@')
		printf(" -a '%s'", o->words);
	printf("\n");
}

static int fish_completion(void)
{
	printf("# fish completion for ktally; made by: ktally help fish\n"
	       "set -g __ktally_columns '");
	put_columns(" ");
	printf("'\n");
	for (size_t c = 0; cmd_table[c]; c++) {
		const struct cmd *cmd = cmd_table[c];

		if (cmd->bits & CMD_HIDDEN)
			continue;
		printf("complete -c ktally -n __fish_use_subcommand -f -a %s -d ", cmd->name);
		put_fish(cmd->help);
		printf("\n");
		if (cmd->verbs)
			printf("complete -c ktally -n '__fish_seen_subcommand_from %s' -a '%s'\n", cmd->name,
			       cmd->verbs);
		printf("complete -c ktally -n '__fish_seen_subcommand_from help' -f -a %s\n", cmd->name);
		for (size_t g = 0; g < cmd->n_groups; g++)
			for (size_t i = 0; i < cmd->groups[g].n; i++)
				fish_option(cmd, &cmd->groups[g].opts[i]);
	}
	return DONE;
}

static int run_help(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*print)(void);
	} topic[] = {
		{ "man", man_page_part }, { "bash", bash_completion }, { "zsh", zsh_completion },
		{ "fish", fish_completion },
	};
	int rc = DONE;

	if (argc < 2)
		rc = list_commands();
	else if (cmd_find(argv[1]))
		return cmd_help_for(cmd_find(argv[1]));
	else {
		size_t i = 0;

		while (i < sizeof(topic) / sizeof(topic[0]) && strcmp(topic[i].name, argv[1]))
			i++;
		if (i == sizeof(topic) / sizeof(topic[0]))
			return cmd_unknown(argv[1]);
		rc = topic[i].print();
	}
	if (fflush(stdout) || ferror(stdout))
		return say_error(FAILED, "standard output: cannot write the help");
	return rc;
}

const struct cmd cmd_help = {
	.name = "help",
	.words = "[COMMAND]",
	.help = "the commands, or one command's options",
	.about = "Lists the commands, or explains one.",
	.bits = CMD_HIDDEN,
	.run = run_help,
};
