#!/usr/bin/env python3
"""Receives headgate's webhook and blocks suspended addresses with nftables until their suspension ends.

It runs as a service of its own, so the gateway needs no rights at the firewall. Usage:

    nft -f headgate.nft
    HEADGATE_WEBHOOK_SECRET=whsec_... ./nftables.py --listen 127.0.0.1:9402 --never 10.0.0.0/8

Nothing of a webhook reaches a shell: an address is parsed, and printed anew as an argument of nft.
"""
import argparse
import base64
import hashlib
import hmac
import http.server
import ipaddress
import json
import os
import subprocess
import sys
import time

MOST_BYTES = 64 * 1024
TOLERANCE = 300  # seconds that a webhook may be old
LONGEST = 31 * 86400  # the longest suspension, in seconds


def is_signed(secrets, headers, body, now):
    """Whether one of the signatures is right and the webhook is new (https://www.standardwebhooks.com/)."""
    name, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not moment.isascii() or not moment.isdigit() or abs(now - int(moment)) > TOLERANCE:
        return False
    signed = f"{name}.{moment}.".encode() + body
    for secret in secrets:
        wanted = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
        for each in headers.get("webhook-signature", "").split():
            if each.isascii() and hmac.compare_digest(each, "v1," + wanted):
                return True
    return False


def command_for(body, never):
    """The arguments of nft for a webhook, or None if it blocks nobody: another type, no address, or one of `never`."""
    told = json.loads(body)
    data = told.get("data", {})
    if told.get("type") != "caller.suspended" or data.get("observed"):
        return None
    try:
        block = ipaddress.ip_network(data["key"])
        seconds = int(data["seconds_left"])
    except (KeyError, TypeError, ValueError):
        return None  # the key is no address
    if block.prefixlen == 0 or any(block.version == one.version and block.overlaps(one) for one in never):
        return None
    seconds = max(1, min(seconds, LONGEST))
    element = f"{{ {block.with_prefixlen} timeout {seconds}s }}"
    return ["nft", "add", "element", "inet", "headgate", f"suspended{block.version}", element]


def handler(secrets, never):
    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self):
            length = self.headers.get("content-length", "")
            if not length.isdigit() or int(length) > MOST_BYTES:
                return self.answer(413)
            body = self.rfile.read(int(length))
            if not is_signed(secrets, self.headers, body, time.time()):
                return self.answer(401)
            try:
                command = command_for(body, never)
            except (ValueError, AttributeError):
                return self.answer(400)
            if command is None:
                return self.answer(204)
            done = subprocess.run(command, timeout=5, capture_output=True, check=False)
            if done.returncode != 0:
                print("nft:", done.stderr.decode(errors="replace").strip(), file=sys.stderr)
            self.answer(204 if done.returncode == 0 else 503)  # headgate sends it again after a 503

        def answer(self, status):
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

    return Handler


def secret_of(text):
    return base64.b64decode(text[len("whsec_"):]) if text.startswith("whsec_") else text.encode()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--listen", default="127.0.0.1:9402", help="where headgate's webhook.url points")
    options.add_argument("--never", action="append", default=[], help="a block of addresses that is never blocked")
    given = options.parse_args()
    secrets = [secret_of(each) for each in os.environ.get("HEADGATE_WEBHOOK_SECRET", "").split()]
    if not secrets:
        sys.exit("set HEADGATE_WEBHOOK_SECRET to the secret of headgate's webhook")
    host, _, port = given.listen.rpartition(":")
    never = [ipaddress.ip_network(each) for each in given.never]
    with http.server.HTTPServer((host, int(port)), handler(secrets, never)) as server:
        print(f"listening on {host}:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
