"""Values in JSON without loss: floats as the hexadecimal digits of their bits, integers as integers, binaries as hexadecimal."""

import struct


def show(type_name, value):
    if type_name in ("Float64", "Real"):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}"
    if type_name == "Float32":
        return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08x}"
    if type_name in ("Boolean", "Clock"):
        return bool(value)
    if type_name == "Binary":
        return bytes(value).hex()
    if type_name == "String":
        return value.decode("utf-8") if isinstance(value, bytes) else value
    return int(value)


def read(type_name, value):
    """Floats may also be given as JSON numbers."""
    if type_name in ("Float64", "Real", "Float32"):
        return float_of(value)
    if type_name in ("Boolean", "Clock"):
        return bool(value)
    if type_name == "Binary":
        return bytes.fromhex(value)
    if type_name == "String":
        return value.encode("utf-8")
    return int(value)


def float_of(value):
    if not isinstance(value, str):
        return float(value)
    digits = value.removeprefix("0x")
    if len(digits) == 8:
        return struct.unpack("<f", struct.pack("<I", int(digits, 16)))[0]
    return struct.unpack("<d", struct.pack("<Q", int(digits, 16)))[0]
