"""Prints what is in an MCAP file as one JSON object, read by the Python library of the format.

usage: recording.py FILE

Messages are in the order of the file: [topic, log_time, publish_time, sequence, {name: value}], where floats are the
hexadecimal digits of their bits and NaN and infinities are numbers again. `ordered` says whether the reader that sorts
by time gives the same order.
"""

import json
import struct
import sys

from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from mcap.records import Channel, Message, Schema


def to_json(value):
    if isinstance(value, list):
        return [to_json(item) for item in value]
    if value in ("NaN", "Infinity", "-Infinity"):
        value = float(value)
    if isinstance(value, float):
        return "0x%016x" % struct.unpack("<Q", struct.pack("<d", value))[0]
    return value


def main(path):
    with open(path, "rb") as file:
        records = list(StreamReader(file, validate_crcs=True, emit_chunks=False).records)
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        by_time = [(m.channel_id, m.log_time, m.sequence) for _, _, m in reader.iter_messages()]
        metadata = {entry.name: entry.metadata for entry in reader.iter_metadata()}
        count = reader.get_summary().statistics.message_count
    channels = {record.id: record for record in records if isinstance(record, Channel)}
    schemas = {record.id: record for record in records if isinstance(record, Schema)}
    messages = [record for record in records if isinstance(record, Message)]
    assert count == len(messages)
    in_file = [(m.channel_id, m.log_time, m.sequence) for m in messages]
    rows = []
    for message in messages:
        data = json.loads(message.data)
        values = {name: to_json(value) for name, value in data["values"].items()}
        topic = channels[message.channel_id].topic
        rows.append([topic, message.log_time, message.publish_time, message.sequence, values])
    channel_list = [
        [channel.topic, channel.message_encoding, schemas[channel.schema_id].encoding]
        for channel in channels.values()
    ]
    answer = {"messages": rows, "channels": channel_list, "metadata": metadata, "ordered": in_file == by_time}
    print(json.dumps(answer))


main(sys.argv[1])
