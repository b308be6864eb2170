"""The API of a single-page application: single_page_app.py PORT."""

import http.server
import json
import sys
import threading
import time


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, value, fields=()):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in fields:
            self.send_header(name, text)
        if status != 304:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    def events(self):
        """Three of them, then the connection ends; whoever comes again gets those that follow."""
        first = int(self.headers.get("Last-Event-ID", "0")) + 1
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"retry: 100\n\n")
        for number in range(first, first + 3):
            self.wfile.write(f"id: {number}\ndata: {number}\n\n".encode())
            time.sleep(0.2)
        self.close_connection = True

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/api/events":
            return self.events()
        if self.path == "/api/slow":
            time.sleep(20)
        if self.path == "/api/list":
            fields = [("ETag", '"one"'), ("Cache-Control", "no-cache")]
            changed = self.headers.get("If-None-Match") != '"one"'
            return self.say(200 if changed else 304, {"items": list(range(1000))}, fields)
        if self.path == "/api/session":
            cookie = [("Set-Cookie", "session=s1; Secure; HttpOnly; SameSite=None; Path=/")]
            return self.say(200, {"cookie": self.headers.get("Cookie", "none")}, cookie if self.command == "POST" else ())
        self.say(200, {"path": self.path, "bytes": len(body)})

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_any


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answers)
server.daemon_threads = True
threading.Thread(target=server.serve_forever).start()
