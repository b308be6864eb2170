"""Makes the descriptors of requests as the documentation of Envoy's `rate_limits` says
(https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/route/v3/route_components.proto), without Envoy.

envoy_descriptors.py FILE    FILE has a list of { "rate_limits": [...], "request": {...} }

Prints a line with the JSON list of the descriptors for each, in the form of rate_limit.py.
"""
import ipaddress
import json
import sys
from urllib.parse import parse_qsl, urlsplit

UNITS = ["UNKNOWN", "SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "YEAR"]


class NoDescriptor(Exception):
    """An action has nothing to add, so its whole configuration makes no descriptor."""


def at_path(metadata, key):
    value = metadata.get(key["key"])
    for part in key["path"]:
        value = value.get(part["key"]) if isinstance(value, dict) else None
    return value


def matches(values, conditions):
    for each in conditions:
        value = values.get(each["name"])
        if value is None or ("string_match" in each and value != each["string_match"]["exact"]):
            return False
    return True


def value_match(action, values, conditions, key):
    if matches(values, conditions) != action.get("expect_match", True):
        raise NoDescriptor
    return [(action.get("descriptor_key", key), action["descriptor_value"])]


def optional(action, value):
    if value is not None:
        return [(action["descriptor_key"], value)]
    if action.get("skip_if_absent"):
        return []
    raise NoDescriptor


def masked(action, text):
    address = ipaddress.ip_address(text)
    length = action.get("v4_prefix_mask_len", 32) if address.version == 4 else action.get("v6_prefix_mask_len", 128)
    return str(ipaddress.ip_network((address, length), strict=False))


def entries(name, action, request):
    headers = request.get("headers", {})
    if name == "source_cluster":
        return [(name, request["service_cluster"])]
    if name == "destination_cluster":
        return [(name, request["routed_to"])]
    if name == "remote_address":
        return [(name, request["from"])]
    if name == "masked_remote_address":
        return [(name, masked(action, request["from"]))]
    if name == "generic_key":
        return [(action.get("descriptor_key", name), action["descriptor_value"])]
    if name == "request_headers":
        return optional(action, headers.get(action["header_name"]))
    if name == "metadata":
        found = at_path(request["metadata"], action["metadata_key"])
        return optional(action, found if isinstance(found, str) and found else action.get("default_value"))
    if name == "header_value_match":
        return value_match(action, headers, action["headers"], "header_match")
    if name == "query_parameter_value_match":
        query = dict(parse_qsl(urlsplit(request["path"]).query))
        return value_match(action, query, action["query_parameters"], "query_match")
    raise ValueError(name)


def descriptor(rate_limit, request):
    made = []
    for action in rate_limit["actions"]:
        ((name, options),) = action.items()
        made += entries(name, options, request)
    out = ",".join(key + "=" + value for key, value in made)
    if "hits_addend" in rate_limit:
        out += ";hits=" + str(rate_limit["hits_addend"]["number"])
    if "limit" in rate_limit:
        rate = at_path(request["metadata"], rate_limit["limit"]["dynamic_metadata"]["metadata_key"])
        if rate:
            out += ";rate=%d/%d" % (rate["requests_per_unit"], UNITS.index(rate["unit"]))
    return out


def main():
    with open(sys.argv[1]) as file:
        for each in json.load(file):
            made = []
            for rate_limit in each["rate_limits"]:
                try:
                    made.append(descriptor(rate_limit, each["request"]))
                except NoDescriptor:
                    pass
            print(json.dumps(made))


main()
