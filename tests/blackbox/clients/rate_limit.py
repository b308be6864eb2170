"""Asks a rate limit service as Envoy does, with gRPC's own library. The messages are written here by the numbers that
https://github.com/envoyproxy/data-plane-api publishes, and not with the definitions of the gateway.

rate_limit.py PORT TIMES DOMAIN DESCRIPTOR...    DESCRIPTOR is "key=value,key=value", with ";hits=N" or ";rate=N/UNIT"

Prints a line for each call: OK or OVER_LIMIT, then for each descriptor its code, limit, unit, rest and wait, and the
fields for the client; or the status of gRPC.
"""
import sys

import grpc

CODES = {1: "OK", 2: "OVER_LIMIT"}


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def read(data):
    """The fields of a message: {number: [values]}."""
    out, at = {}, 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            value = number()
        else:
            length = number()
            value, at = data[at : at + length], at + length
        out.setdefault(tag >> 3, []).append(value)
    return out


def descriptor(text):
    entries, *more = text.split(";")
    out = b""
    for entry in entries.split(","):
        key, value = entry.split("=", 1)
        out += field(1, field(1, key.encode()) + field(2, value.encode()))
    for option in more:
        name, value = option.split("=")
        if name == "hits":
            out += field(3, field(1, int(value)))
        else:
            count, unit = value.split("/")
            out += field(2, field(1, int(count)) + field(2, int(unit)))
    return out


def told(status):
    limit = read(status.get(2, [b""])[0])
    wait = read(status.get(4, [b""])[0]).get(1, [0])[0]
    words = [CODES[status[1][0]]]
    if limit:
        words += [limit[3][0].decode(), str(limit[1][0]), str(limit.get(2, [0])[0]), str(status.get(3, [0])[0]), str(wait > 0)]
    return " ".join(words)


def main():
    port, times, domain, *descriptors = sys.argv[1:]
    request = field(1, domain.encode()) + b"".join(field(2, descriptor(each)) for each in descriptors)
    channel = grpc.insecure_channel("127.0.0.1:" + port)
    call = channel.unary_unary("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
    for _ in range(int(times)):
        try:
            answer = read(call(request, timeout=20))
            fields = [read(each) for each in answer.get(3, [])]
            names = sorted({each[1][0].decode().lower() for each in fields})
            print("; ".join([CODES[answer[1][0]]] + [told(read(each)) for each in answer.get(2, [])] + [",".join(names)]))
        except grpc.RpcError as error:
            print(error.code().name, error.details())


main()
