"""Reads documents with json.loads; input and output are as in read.js."""

import json
import math
import sys

POINTERS = [["model"], ["usage", "total"], ["list", "1"]]
ABSENT = object()


def at(value, steps):
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
    return value


def said(value):
    if value is ABSENT:
        return "absent"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        if value != value:
            return "no number"
        return "number %d" % math.ceil(min(max(value, -(10**15)), 10**15))
    if isinstance(value, str):
        return "text " + value.encode("utf-8", "surrogatepass").hex()
    return "structure"


with open(sys.argv[1]) as lines, open(sys.argv[2], "w") as out:
    for line in lines:
        try:
            document = json.loads(bytes.fromhex(line.strip()))
            answers = [said(at(document, steps)) for steps in POINTERS]
        except (ValueError, RecursionError):
            answers = ["refused"] * len(POINTERS)
        for answer in answers:
            print(answer, file=out)
