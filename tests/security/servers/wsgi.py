"""A WSGI server that answers each request with what an application gets of it; see real_server.hpp for the form."""

import posixpath
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server


def application(environ, start_response):
    fields = [f"{name}: {value}" for name, value in sorted(environ.items()) if name.startswith("HTTP_")]
    path = environ["PATH_INFO"]
    # As it is given to every application, and as those see it that look for a file or merge slashes.
    readings = [path, posixpath.normpath("/" + path.lstrip("/")), posixpath.normpath(path.replace("\\", "/"))]
    body = "\n".join([environ["REQUEST_METHOD"], *fields]) + "\n\n" + "\0".join(readings)
    start_response("200 OK", [("Content-Type", "application/octet-stream")])
    return [body.encode("latin-1")]


class Quiet(WSGIRequestHandler):
    def log_message(self, *words):
        pass


with make_server("127.0.0.1", 0, application, handler_class=Quiet) as server:
    print(f"listening on 127.0.0.1:{server.server_port}", file=sys.stderr, flush=True)
    server.serve_forever()
