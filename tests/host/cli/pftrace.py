# SPDX-License-Identifier: GPL-2.0-or-later
#
# pftrace.py - what protoc reads of a trace of Perfetto's: its packets, as lists of values by
# the names of fields.
import collections
import subprocess
import tempfile

# What of Perfetto's messages is written; a number that is not here is shown as a number.
PROTO = """syntax = "proto2";
message Trace { repeated TracePacket packet = 1; }
message TracePacket { optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10;
  optional TrackEvent track_event = 11; optional uint32 sequence_flags = 13; optional TrackDescriptor track_descriptor = 60; }
message CounterDescriptor { optional int32 unit = 3; optional string unit_name = 6; }
message TrackDescriptor { optional uint64 uuid = 1; optional string name = 2; optional uint64 parent_uuid = 5;
  optional CounterDescriptor counter = 8; optional int32 child_ordering = 11; }
message DebugAnnotation { optional uint64 uint_value = 3; optional int64 int_value = 4; optional string string_value = 6; optional string name = 10; }
message TrackEvent { repeated DebugAnnotation debug_annotations = 4; optional int32 type = 9; optional uint64 track_uuid = 11;
  repeated string categories = 22; optional string name = 23; optional int64 counter_value = 30;
  optional double double_counter_value = 44; repeated fixed64 flow_ids = 47; repeated fixed64 terminating_flow_ids = 48; }
"""


def text_message(lines):
    """What protoc prints of a message: a list of values for each field."""
    fields = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            fields[line[:-2]].append(text_message(lines))
        else:
            name, value = line.split(": ", 1)
            fields[name].append(value[1:-1] if value[0] == '"' else float(value) if "e" in value or "." in value else int(value))
    return fields


def decode(data):
    """Packets; a RuntimeError with protoc's words where it can't read them."""
    with tempfile.NamedTemporaryFile("w", suffix=".proto") as f:
        f.write(PROTO)
        f.flush()
        p = subprocess.run(["protoc", "--proto_path=" + tempfile.gettempdir(), "--decode=Trace", f.name], input=data,
                           capture_output=True)
    if p.returncode:
        raise RuntimeError(p.stderr.decode())
    return text_message(iter(p.stdout.decode().split("\n")[:-1]))["packet"]


def notes(event):
    return {n["name"][0]: (n["uint_value"] + n["int_value"] + n["string_value"])[0] for n in event["debug_annotations"]}


def processes(data, *names):
    """Of each process' slice the notes of these names; None: it has none."""
    events = [e for p in decode(data) for e in p["track_event"] if e["categories"] == ["process"]]
    return [tuple(notes(e).get(n) for n in names) for e in events]
