"""A server of gRPC whose messages are plain bytes. server.py PORT"""
import sys
import time
from concurrent import futures

import grpc


def unary(request, context):
    context.set_trailing_metadata((("x-end", "after"), ("x-bytes-bin", b"\0\xff")))
    metadata = dict(context.invocation_metadata())
    return request + b":" + metadata.get("x-mine", "").encode()


def remaining(request, context):
    left = context.time_remaining()
    return ("none" if left is None or left > 1e9 else "%.3f" % left).encode()


def fails(request, context):
    context.abort(grpc.StatusCode.NOT_FOUND, "no such thing: \u00fc 100%")


def slow(request, context):
    time.sleep(float(request))
    return b"late"


def serves(request, context):
    for i in range(3):
        yield request + str(i).encode()


def joins(requests, context):
    return b",".join(requests)


def echoes(requests, context):
    for request in requests:
        yield request + b"!"


class Echo(grpc.GenericRpcHandler):
    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(unary),
        "Remaining": grpc.unary_unary_rpc_method_handler(remaining),
        "Fails": grpc.unary_unary_rpc_method_handler(fails),
        "Slow": grpc.unary_unary_rpc_method_handler(slow),
        "Serves": grpc.unary_stream_rpc_method_handler(serves),
        "Joins": grpc.stream_unary_rpc_method_handler(joins),
        "Echoes": grpc.stream_stream_rpc_method_handler(echoes),
    }

    def service(self, call):
        service, _, method = call.method.rpartition("/")
        return self.handlers.get(method) if service == "/test.Echo" else None


server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
server.add_generic_rpc_handlers((Echo(),))
if server.add_insecure_port("127.0.0.1:" + sys.argv[1]) == 0:
    sys.exit("the port is taken")
server.start()
server.wait_for_termination()
