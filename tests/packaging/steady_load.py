#!/usr/bin/env python3
"""Requests on connections that are kept and on new ones, until a file appears; prints how many had an answer, and what went wrong.

steady_load.py PORT STOP_FILE"""
import http.client
import os
import sys
import threading

port, stop = int(sys.argv[1]), sys.argv[2]
lock = threading.Lock()
answered, wrong = 0, []


def ask(kept):
    global answered
    connection = None
    while not os.path.exists(stop):
        try:
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/load")
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"status {answer.status}")
            if answer.will_close or not kept:
                connection.close()
                connection = None
            with lock:
                answered += 1
        except Exception as failure:  # each is a lost request, whatever it is
            with lock:
                wrong.append(repr(failure))
            connection = None


threads = [threading.Thread(target=ask, args=(number % 2 == 0,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(f"{answered} answered, {len(wrong)} lost {wrong[:5]}")
sys.exit(0 if answered > 0 and not wrong else 1)
