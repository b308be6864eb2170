"""Calls a server of gRPC, and writes a line for each call. client.py PORT WHAT [CA_FILE]"""
import json
import sys
import time

import grpc

port, what = sys.argv[1:3]


def channel(*options):
    if len(sys.argv) > 3:
        with open(sys.argv[3], "rb") as ca:
            return grpc.secure_channel("localhost:" + port, grpc.ssl_channel_credentials(ca.read()), options=options)
    return grpc.insecure_channel("127.0.0.1:" + port, options=options)


def call(over, method, request=b"a", timeout=10, metadata=()):
    return over.unary_unary("/test.Echo/" + method).with_call(request, timeout=timeout, metadata=metadata)


def failure(run):
    begun = time.monotonic()
    try:
        run()
    except grpc.RpcError as error:
        return error, time.monotonic() - begun
    sys.exit("it did not fail")


def kinds():
    with channel() as over:
        answer, done = call(over, "Unary", metadata=(("x-mine", "m"),))
        print(answer.decode(), dict(done.trailing_metadata()))
        print([each.decode() for each in over.unary_stream("/test.Echo/Serves")(b"s")])
        print(over.stream_unary("/test.Echo/Joins")(iter([b"1", b"2", b"3"])).decode())
        large = bytes(300000)
        print(all(each == large + b"!" for each in over.stream_stream("/test.Echo/Echoes")(iter([large] * 5))))
        error, _ = failure(lambda: call(over, "Fails"))
        print(error.code().name, error.details())
        error, _ = failure(lambda: call(over, "None"))
        print(error.code().name)


def deadlines():
    with channel() as over:
        print(call(over, "Remaining", timeout=None)[0].decode())
        print(call(over, "Remaining", timeout=1)[0].decode())
        print(call(over, "Remaining", timeout=100)[0].decode())
        error, took = failure(lambda: call(over, "Slow", request=b"5", timeout=100))
        print(error.code().name, took < 4)


def refused():
    with channel() as over:
        call(over, "Unary")
        error, _ = failure(lambda: call(over, "Unary"))
        fields = dict(error.trailing_metadata())
        print(error.code().name)
        print(error.details())
        print(fields["grpc-retry-pushback-ms"])
        print(b"type.googleapis.com/google.rpc.RetryInfo" in fields["grpc-status-details-bin"])


def obedient():
    """With a policy of its own it would come at once; the pushback says when a permit is there."""
    policy = {
        "maxAttempts": 3,
        "initialBackoff": "0.01s",
        "maxBackoff": "0.01s",
        "backoffMultiplier": 1,
        "retryableStatusCodes": ["RESOURCE_EXHAUSTED", "UNAVAILABLE"],
    }
    config = {"methodConfig": [{"name": [{}], "retryPolicy": policy}]}
    with channel(("grpc.service_config", json.dumps(config)), ("grpc.enable_retries", 1)) as over:
        call(over, "Unary")
        begun = time.monotonic()
        print(call(over, "Unary")[0].decode())
        print(time.monotonic() - begun > 0.9)


{"kinds": kinds, "deadlines": deadlines, "refused": refused, "obedient": obedient}[what]()
