"""HTTP/2 as Python's h2 speaks it, on one connection: client.py PORT [CA_FILE]"""
import socket
import ssl
import sys

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, InformationalResponseReceived, ResponseReceived, StreamEnded, StreamReset


class Client:
    def __init__(self, port, ca):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        if ca:
            context = ssl.create_default_context(cafile=ca)
            context.set_alpn_protocols(["h2"])
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
            assert self.socket.selected_alpn_protocol() == "h2"
        self.scheme = "https" if ca else "http"
        self.h2 = H2Connection(H2Configuration(client_side=True, header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.ended, self.statuses, self.bodies, self.reset = set(), {}, {}, {}

    def begin(self, path, *more, method="GET", ends=True):
        stream = self.h2.get_next_available_stream_id()
        head = [(":method", method), (":scheme", self.scheme), (":path", path), (":authority", "localhost"), *more]
        self.h2.send_headers(stream, head, end_stream=ends)
        self.bodies[stream] = 0
        return stream

    def turn(self):
        self.socket.sendall(self.h2.data_to_send())
        received = self.socket.recv(65536)
        if not received:
            sys.exit("the connection has ended")
        for event in self.h2.receive_data(received):
            if isinstance(event, (InformationalResponseReceived, ResponseReceived)):
                self.statuses.setdefault(event.stream_id, []).append(int(dict(event.headers)[":status"]))
            elif isinstance(event, DataReceived):
                self.bodies[event.stream_id] += len(event.data)
                if event.flow_controlled_length:
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                self.ended.add(event.stream_id)
            elif isinstance(event, StreamReset):
                self.reset[event.stream_id] = event.error_code

    def answer(self, stream):
        while stream not in self.ended and stream not in self.reset:
            self.turn()
        return self.statuses.get(stream), self.bodies[stream], self.reset.get(stream)

    def upload(self, stream, left):
        while left:
            now = min(left, self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if now == 0:
                self.turn()
                continue
            left -= now
            self.h2.send_data(stream, b"x" * now, end_stream=left == 0)


client = Client(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
streams = [client.begin("/a", ("x-test-bytes", str(1000 * i))) for i in range(80)]
print("80 at once:", all(client.answer(each) == ([200], 1000 * i, None) for i, each in enumerate(streams)))
stream = client.begin("/up", ("x-test-echo", "1"), ("content-length", "700000"), method="POST", ends=False)
client.upload(stream, 700000)
print("echo:", client.answer(stream))
stream = client.begin("/up", ("x-test-echo", "1"), ("expect", "100-continue"), method="POST", ends=False)
while stream not in client.statuses:
    client.turn()
client.upload(stream, 3)
print("expectation:", client.answer(stream))
stream = client.begin("/held", ("x-test-hold", "1"))
client.h2.ping(b"is it on")
client.turn()
client.h2.reset_stream(stream, ErrorCodes.CANCEL)
print("after a cancelled one:", client.answer(client.begin("/b")))
client.h2.close_connection()
client.socket.sendall(client.h2.data_to_send())
