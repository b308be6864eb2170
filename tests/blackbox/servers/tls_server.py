"""A server with TLS whose answers end with their connection: tls_server.py CERTIFICATE KEY PORT

The path says how: /announced with close_notify, /cut without it, /length without it after an answer with a length.
"""

import socket
import ssl
import sys
import threading


def serve(connection):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    path = head.split(b" ")[1].decode()
    length = b"Content-Length: 7\r\n" if path == "/length" else b""
    connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + length + b"\r\nseven b")
    if path == "/announced":
        connection.unwrap().close()
    else:
        socket.socket(fileno=connection.detach()).close()


def main():
    certificate, key, port = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", int(port))) as listener:
        while True:
            connection, _ = listener.accept()
            try:
                wrapped = context.wrap_socket(connection, server_side=True)
            except (ssl.SSLError, OSError):
                continue
            threading.Thread(target=serve, args=(wrapped,), daemon=True).start()


main()
