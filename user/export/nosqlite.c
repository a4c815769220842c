// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nosqlite.c - in place of export/sqlite.c where ktally is built without libsqlite3.
 */
#include "cmd.h"
#include "export.h"

int export_sqlite(struct export *ex)
{
	(void)ex;
	return say_error(FAILED, "built without libsqlite3, so without databases; report --csv can be imported by: sqlite3 x.db '.import --csv x.csv processes'");
}
