"""Uploads to a gateway as programs in Python do; says the status of each answer, or what came in its place.

upload.py http.client|httpx PORT PATH BYTES TIMES
"""

import http.client
import sys


def with_http_client(port, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path, body)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def with_httpx(port, path, body):
    import httpx

    return httpx.post(f"http://127.0.0.1:{port}{path}", content=body, timeout=30).status_code


def main():
    library, port, path, size, times = sys.argv[1:]
    upload = {"http.client": with_http_client, "httpx": with_httpx}[library]
    for _ in range(int(times)):
        try:
            print(upload(int(port), path, b"x" * int(size)), flush=True)
        except Exception as lost:  # whatever a library makes of it
            print(type(lost).__name__, flush=True)


main()
