// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-doctor.c - what is missing here and how to get it.
 *
 * A check is a row: it looks, says what it found, and what to type. Nothing is
 * changed. The exit status is that of the worst finding.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd.h"
#include "lacks.h"
#include "lib/ktally.h"
#include "module.h"
#include "show.h"

#define DEVICE "/dev/ktally"

enum verdict { FINE, NOTE, MISSING, REFUSED };

struct finding {
	const char *check;
	enum verdict verdict;
	char found[1200], remedy[320];
};

/* What checks ask of each other. */
struct patient {
	struct utsname u;
	bool has_file, loaded, has_status;
	struct ktally_status st;
	int status_err;
	char status_why[256];
};

static void found(struct finding *f, enum verdict verdict, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void remedy(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void found(struct finding *f, enum verdict verdict, const char *fmt, ...)
{
	va_list ap;

	f->verdict = verdict;
	va_start(ap, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	va_end(ap);
}

static void remedy(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->remedy, sizeof(f->remedy), fmt, ap);
	va_end(ap);
}

/* Another kernel here that has the module: the usual case after an upgrade. */
static bool other_kernel(const struct patient *p, char *release, size_t n)
{
	DIR *dir = opendir("/lib/modules");
	char path[1024];
	struct dirent *e;
	bool any = false;

	while (dir && !any && (e = readdir(dir))) {
		if (*e->d_name == '.' || !strcmp(e->d_name, p->u.release))
			continue;
		any = module_file(e->d_name, path, sizeof(path));
		if (any)
			snprintf(release, n, "%s", e->d_name);
	}
	if (dir)
		closedir(dir);
	return any;
}

static void check_file(struct patient *p, struct finding *f)
{
	char path[1024], other[256], headers[512];

	p->has_file = module_file(p->u.release, path, sizeof(path));
	if (p->has_file) {
		found(f, FINE, "%s", path);
		return;
	}
	snprintf(headers, sizeof(headers), "/lib/modules/%s/build", p->u.release);
	if (p->loaded)
		found(f, NOTE, "not installed for %s; it was loaded from elsewhere", p->u.release);
	else if (other_kernel(p, other, sizeof(other)))
		found(f, MISSING, "built for %s, not for the running %s", other, p->u.release);
	else
		found(f, MISSING, "no ktally.ko for the running kernel %s", p->u.release);
	if (access(headers, F_OK))
		remedy(f, "apt install linux-headers-%s ktally-dkms, or make install-module from the sources",
		       p->u.release);
	else
		remedy(f, "dkms autoinstall, or make install-module from the sources");
}

static void check_loaded(struct patient *p, struct finding *f)
{
	char version[64];

	if (p->loaded) {
		found(f, FINE, "version %s",
		      module_read("version", version, sizeof(version)) ? version : "unknown");
		return;
	}
	found(f, MISSING, "not loaded");
	remedy(f, "ktally load (at every boot: echo ktally > /etc/modules-load.d/ktally.conf)");
}

static bool secure_boot(void)
{
	static const char path[] =
		"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	unsigned char v[5];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, v, sizeof(v));

	if (fd >= 0)
		close(fd);
	return n == sizeof(v) && v[4] == 1;
}

/* By whom the kernel was told to take signed modules only; NULL: it takes any. */
static const char *signed_only(void)
{
	char line[128] = "";

	if (secure_boot())
		return "Secure Boot";
	if (module_read_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	    !strstr(line, "[none]"))
		return "lockdown";
	module_read_line("/sys/module/module/parameters/sig_enforce", line, sizeof(line));
	return *line == 'Y' ? "sig_enforce" : NULL;
}

static void check_signature(struct patient *p, struct finding *f)
{
	const char *who = signed_only();
	char path[1024];

	if (!who) {
		found(f, FINE, "unsigned modules may be loaded");
	} else if (p->loaded) {
		found(f, FINE, "%s: only modules signed by a known key may be loaded", who);
	} else if (module_file(p->u.release, path, sizeof(path)) &&
		   module_signature(path) == MODULE_UNSIGNED) {
		found(f, MISSING, "%s: only modules signed by a known key may be loaded; ktally.ko is not signed", who);
		remedy(f, "sign it and enrol the key: man ktally, SIGNED MODULES");
	} else {
		found(f, NOTE, "%s: only modules signed by a known key may be loaded", who);
		remedy(f, "enrol the key that signs it, of DKMS: mokutil --import /var/lib/dkms/mok.pub, then reboot; see man ktally, SIGNED MODULES");
	}
}

static bool in_group(gid_t gid)
{
	gid_t groups[256];
	int n = getgroups(256, groups);

	for (int i = 0; i < n; i++)
		if (groups[i] == gid)
			return true;
	return getegid() == gid;
}

static void check_device(struct patient *p, struct finding *f)
{
	const struct group *group = getgrnam("ktally");
	struct stat st;

	if (stat(DEVICE, &st)) {
		found(f, p->loaded ? MISSING : NOTE, DEVICE ": %s", strerror(errno));
		if (p->loaded)
			remedy(f, "udev or devtmpfs makes it; by hand: see /sys/class/misc/ktally/dev");
		return;
	}
	if (!access(DEVICE, R_OK | W_OK)) {
		found(f, FINE, DEVICE " may be opened");
		return;
	}
	found(f, REFUSED, DEVICE ": permission denied");
	if (group && st.st_gid == group->gr_gid && !in_group(group->gr_gid))
		remedy(f, "adduser $USER ktally, then log in again; or sudo");
	else
		remedy(f, "sudo; for a group of your own: addgroup --system ktally, then reload udev's rules");
}

static void check_api(struct patient *p, struct finding *f)
{
	if (!p->loaded)
		found(f, NOTE, "not known before the module is loaded");
	else if (p->has_status && p->st.api != KTALLY_API_VERSION)
		found(f, MISSING, "module speaks interface %u, program %u", p->st.api,
		      KTALLY_API_VERSION);
	else if (p->has_status)
		found(f, FINE, "program %s, module %.*s, interface %u", KTALLY_VERSION,
		      (int)sizeof(p->st.version), p->st.version, p->st.api);
	else if (p->status_err == -EACCES || p->status_err == -EPERM)
		found(f, NOTE, "not known without access to " DEVICE);
	else
		found(f, MISSING, "%s", p->status_why);
}

static void check_ends(struct patient *p, struct finding *f)
{
	if (!p->has_status) {
		found(f, NOTE, "not known before the module answers");
	} else if (p->st.disarmed) {
		found(f, MISSING, "the module stopped its probes after an inner inconsistency");
		remedy(f, "dmesg | grep ktally; then ktally unload and ktally load");
	} else if (p->st.features & KTALLY_FEAT_EXIT_ARG) {
		found(f, FINE, "by the tracepoint, exact");
	} else if (p->st.features & KTALLY_FEAT_EXIT_KPROBE && !p->st.kp_missed) {
		found(f, FINE, "by a kprobe, exact");
	} else if (p->st.features & KTALLY_FEAT_EXIT_KPROBE) {
		found(f, NOTE, "the kprobe missed %llu ends", (unsigned long long)p->st.kp_missed);
		remedy(f, "keep kprobes armed: sysctl kernel.ftrace_enabled=1, echo 1 > /sys/kernel/debug/kprobes/enabled");
	} else {
		found(f, NOTE, "without a kprobe: peak memory may be a bound or unknown");
		remedy(f, "a kernel with CONFIG_KPROBES, and kprobe=1 for the module");
	}
}

static void check_figures(struct patient *p, struct finding *f)
{
	const struct lack *l = NULL;
	char line[256] = "";
	size_t at = 0;

	if (!p->has_status) {
		found(f, NOTE, "not known before the module answers");
		return;
	}
	while ((l = lacks_next(l, p->st.features)))
		if (!l->instead)
			at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s", at ? ", " : "", l->what);
	if (at)
		found(f, NOTE, "not measured here: %s; shown as unknown", line);
	else
		found(f, FINE, "all are measured");
}

static void check_argv(struct patient *p, struct finding *f)
{
	if (!p->has_status)
		found(f, NOTE, "not known before the module answers");
	else if (!p->st.argv)
		found(f, NOTE, "switched off by the module's parameter argv=0");
	else if (geteuid())
		found(f, FINE, "of your own processes; of all with CAP_PERFMON or root");
	else
		found(f, FINE, "of all processes, up to %u bytes", p->st.arg_bytes);
}

static void check_boot(struct patient *p, struct finding *f)
{
	bool waiting = false;

	for (size_t i = 0; p->has_status && i < KTALLY_SESSIONS; i++)
		waiting |= p->st.sessions[i].boot;
	if (!p->has_status) {
		found(f, NOTE, "not known before the module answers");
	} else if (waiting) {
		found(f, NOTE, "recorded since load and waiting");
		remedy(f, "ktally record --boot -o boot.ktl -D 1");
	} else {
		found(f, FINE, "none is waiting");
	}
}

static void check_debugfs(struct patient *p, struct finding *f)
{
	(void)p;
	found(f, FINE, "debugfs and tracefs are not needed");
}

static const struct {
	const char *name;
	void (*look)(struct patient *p, struct finding *f);
} checks[] = {
	{ "module file", check_file },
	{ "module", check_loaded },
	{ "signatures", check_signature },
	{ "device", check_device },
	{ "versions", check_api },
	{ "ends of processes", check_ends },
	{ "figures", check_figures },
	{ "arguments", check_argv },
	{ "boot recording", check_boot },
	{ "file systems", check_debugfs },
};
enum { N_CHECKS = sizeof(checks) / sizeof(checks[0]) };

static const struct ktally_field columns[] = {
	{ .name = "verdict", .title = "", .help = "ok, note, missing, refused", .unit = KTALLY_TEXT, .width = -8 },
	{ .name = "check", .title = "CHECK", .help = "what was looked at", .unit = KTALLY_TEXT, .width = -17 },
	{ .name = "found", .title = "FOUND", .help = "what was found", .unit = KTALLY_TEXT, .width = -20 },
	{ .name = "remedy", .title = "WHAT TO DO", .help = "what to type", .unit = KTALLY_TEXT, .width = -20 },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const char *const verdict_name[] = { "ok", "note", "missing", "refused" };

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	const struct finding *finding = (const struct finding *)of + row;

	switch (f - columns) {
	case 0:		return out_text(verdict_name[finding->verdict]);
	case 1:		return out_text(finding->check);
	case 2:		return out_text(finding->found);
	default:	return out_text(finding->remedy);
	}
}

struct args {
	struct show show;
};

static const struct opt_group doctor_groups[] = {
	SHOW_GROUP(struct args, show),
};

/* For people a paragraph per finding: remedies are to be copied whole, not cut. */
static void print_text(const struct finding *findings)
{
	for (size_t i = 0; i < N_CHECKS; i++) {
		printf("%-8s %-18s %s\n", verdict_name[findings[i].verdict], findings[i].check,
		       findings[i].found);
		if (*findings[i].remedy)
			printf("%-8s %-18s -> %s\n", "", "", findings[i].remedy);
	}
}

static int print(const struct args *args, struct finding *findings)
{
	const struct ktally_field *chosen[N_COLUMNS];
	struct show_source src = {
		.schema = "ktally.doctor/1", .fields = chosen, .n_fields = N_COLUMNS,
		.columns = "verdict,check,found,remedy", .n_rows = N_CHECKS, .value = value,
		.of = findings,
	};
	struct out *o;
	int status;

	for (size_t i = 0; i < N_COLUMNS; i++)
		chosen[i] = &columns[i];
	if (args->show.out.format != OUT_TABLE || args->show.columns) {
		status = show_rows(&args->show, &src, &o);
		return status == OPT_GO_ON ? show_close(o) : status;
	}
	print_text(findings);
	if (fflush(stdout) || ferror(stdout))
		return say_error(FAILED, "standard output: %s", strerror(errno));
	return DONE;
}

static int worst(const struct finding *findings)
{
	enum verdict v = FINE;

	for (size_t i = 0; i < N_CHECKS; i++)
		if (findings[i].verdict > v)
			v = findings[i].verdict;
	return v == REFUSED ? NO_PERMISSION : v == MISSING ? NO_MODULE : DONE;
}

static int run_doctor(int argc, char **argv)
{
	struct finding findings[N_CHECKS] = { 0 };
	struct args args = { .show = { .columns = NULL } };
	struct patient p = { .has_file = false };
	struct opt_rest rest;
	int status = opt_parse(&cmd_doctor, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (rest.n_words)
		return say_error(WRONG_USE, "doctor: '%s'? it takes no words", rest.words[0]);
	uname(&p.u);
	p.loaded = module_loaded();
	p.status_err = ktally_status_read(&p.st, NULL, p.status_why, sizeof(p.status_why));
	p.has_status = !p.status_err;
	for (size_t i = 0; i < N_CHECKS; i++) {
		findings[i].check = checks[i].name;
		checks[i].look(&p, &findings[i]);
	}
	status = print(&args, findings);
	return status == DONE ? worst(findings) : status;
}

static const char *const doctor_examples[] = { "doctor", NULL };

const struct cmd cmd_doctor = {
	.name = "doctor",
	.words = "",
	.help = "what is missing here and how to get it",
	.about = "Looks at kernel, module, permissions and what this kernel can measure, and says what to type where something is missing. Changes nothing.",
	.run = run_doctor,
	CMD_GROUPS(doctor_groups),
	.examples = doctor_examples,
};
