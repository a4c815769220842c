#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# load.sh - hook of dracut, sourced at the beginning of the initramfs.

/usr/lib/ktally/early-load
