#!/usr/bin/env python3
"""The receiver that hands suspended addresses to nftables: started, sent webhooks, with a program in the place of nft."""
import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECRET = base64.b64encode(b"a secret of thirty-two characters").decode()


class Firewall(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        place = pathlib.Path(self.place.name)
        self.calls = place / "calls"
        nft = place / "nft"
        nft.write_text('#!/bin/sh\nfor each; do printf "%s|" "$each"; done >> "' + str(self.calls) + '"\n'
                       'echo >> "' + str(self.calls) + '"\n[ ! -e "' + str(place) + '/fails" ]\n')
        nft.chmod(0o755)
        self.fails = place / "fails"
        self.receiver = subprocess.Popen(
            [sys.executable, str(ROOT / "conf/firewall/nftables.py"), "--listen", "127.0.0.1:0", "--never",
             "10.0.0.0/8"],
            env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}", "HEADGATE_WEBHOOK_SECRET": "whsec_" + SECRET},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.receiver.stdout.readline().rsplit(":", 1)[1])

    def tearDown(self):
        self.receiver.terminate()
        self.receiver.wait()
        self.receiver.stdout.close()
        self.place.cleanup()

    def send(self, body, age=0, secret=SECRET):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        moment = str(int(time.time()) - age)
        signed = hmac.new(base64.b64decode(secret), f"ban_1.{moment}.".encode() + body, hashlib.sha256).digest()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("POST", "/", body, {"webhook-id": "ban_1", "webhook-timestamp": moment,
                                               "webhook-signature": "v1,AAAA v1," + base64.b64encode(signed).decode()})
        status = connection.getresponse().status
        connection.close()
        return status

    @staticmethod
    def suspended(key, seconds=600, **more):
        return {"type": "caller.suspended", "data": {"key": key, "seconds_left": seconds, **more}}

    def blocked(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_blocks_addresses_and_blocks_of_them_for_the_time(self):
        self.assertEqual(self.send(self.suspended("203.0.113.7")), 204)
        self.assertEqual(self.send(self.suspended("2001:db8::/64", 1)), 204)
        self.assertEqual(self.blocked(), [
            "add|element|inet|headgate|suspended4|{ 203.0.113.7/32 timeout 600s }|",
            "add|element|inet|headgate|suspended6|{ 2001:db8::/64 timeout 1s }|"])

    def test_blocks_nobody_else(self):
        for key in ("acme", "203.0.113.7; reboot", "$(reboot)", "0.0.0.0/0", "10.1.2.3", "", "\x01203.0.113.7", None):
            self.assertEqual(self.send(self.suspended(key)), 204, key)
        self.assertEqual(self.send(self.suspended("203.0.113.7", observed=True)), 204)
        self.assertEqual(self.send({"type": "quota.reached", "data": {"key": "203.0.113.7"}}), 204)
        self.assertEqual(self.blocked(), [])

    def test_believes_only_what_is_signed_and_new(self):
        self.assertEqual(self.send(self.suspended("203.0.113.7"), secret=base64.b64encode(b"another").decode()), 401)
        self.assertEqual(self.send(self.suspended("203.0.113.7"), age=3600), 401)
        self.assertEqual(self.send(b"no json"), 400)
        self.assertEqual(self.send(b"[]"), 400)
        self.assertEqual(self.blocked(), [])

    def test_asks_to_be_told_again_if_nft_fails(self):
        self.fails.touch()
        self.assertEqual(self.send(self.suspended("203.0.113.7")), 503)


if __name__ == "__main__":
    unittest.main()
