"""Asks a gateway over TLS: secure.py PORT CA_FILE. Prints what it found, and "ok" at the end."""

import ssl
import sys

import httpx

port, ca = sys.argv[1], sys.argv[2]
context = ssl.create_default_context(cafile=ca)
with httpx.Client(verify=context, base_url=f"https://localhost:{port}") as client:
    first = client.get("/a")
    large = b"x" * 700_000
    second = client.post("/b", content=large, headers={"X-Test-Echo": "1"})
    print(first.status_code, second.status_code, second.content == large, second.http_version)
    refused = client.post("/small", content=b"x" * 200_000)
    print(refused.status_code)
print("ok")
