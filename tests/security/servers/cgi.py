"""A CGI program that answers each request with what it gets of it; see real_server.hpp for the form."""

import os
import sys

fields = [f"{name}: {value}" for name, value in sorted(os.environ.items()) if name.startswith("HTTP_")]
body = "\n".join([os.environ["REQUEST_METHOD"], *fields]) + "\n\n" + os.environ.get("PATH_INFO", "/")
sys.stdout.write("Content-Type: application/octet-stream\r\n\r\n" + body)
