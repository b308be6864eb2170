#!/usr/bin/env python3
"""Looks at what a chart became: has each object what it needs, and do they name each other rightly?

check.py CHART RENDER HEADGATE VALUES_DIRECTORY REFUSED_DIRECTORY"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
import yaml

chart, render, headgate, accepted, refused = sys.argv[1:]
schema = json.loads(pathlib.Path(chart, "values.schema.json").read_text())
kinds = json.loads((pathlib.Path(__file__).parent / "kinds.schema.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.Draft7Validator.check_schema(kinds)

# What the cluster gives where values name a Secret.
ENVIRONMENT = {"REDIS_URL": "redis://127.0.0.1:1", "HEADGATE_ADMIN_TOKEN": "0123456789abcdef0123456789abcdef",
               "HEADGATE_READ_TOKEN": "fedcba9876543210fedcba9876543210"}


def rendered(path):
    out = subprocess.run([render, chart, "gate", "web", path], capture_output=True, text=True)
    if out.returncode != 0:
        raise AssertionError(out.stderr)
    return json.loads(out.stdout)


def objects_of(templates):
    out = {}
    for name, text in templates.items():
        if name in ("values", "NOTES.txt"):
            continue
        assert "<no value>" not in text, f"{name} uses a value that is not there"
        for each in yaml.safe_load_all(text):
            if each:
                jsonschema.Draft7Validator(kinds).validate(each)
                key = each["kind"], each["metadata"]["name"]
                assert key not in out, f"{key} is there twice"
                out[key] = each
    return out


def is_within(selector, labels):
    return bool(selector) and selector.items() <= labels.items()


def check_links(objects, values):
    [deployment] = [each for (kind, _), each in objects.items() if kind == "Deployment"]
    name, spec = deployment["metadata"]["name"], deployment["spec"]
    pod = spec["template"]["spec"]
    labels = spec["template"]["metadata"]["labels"]
    [container] = pod["containers"]
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    assert len(set(ports.values())) == len(container["ports"]), "two ports are one"
    assert is_within(spec["selector"]["matchLabels"], labels)
    assert ("ServiceAccount", pod["serviceAccountName"]) in objects
    assert {each["name"] for each in container["volumeMounts"]} == {each["name"] for each in pod["volumes"]}
    assert len({each["mountPath"] for each in container["volumeMounts"]}) == len(container["volumeMounts"])
    assert pod["terminationGracePeriodSeconds"] > values["drainDelaySeconds"] + values["drainSeconds"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if "httpGet" in container[probe]:
            assert container[probe]["httpGet"]["port"] in ports, "a probe asks a port that the container does not have"
    scaled = values["autoscaling"]["enabled"]
    assert ("replicas" in spec) != scaled, "the autoscaler and the deployment both say how many"
    assert any(kind == "HorizontalPodAutoscaler" for kind, _ in objects) == scaled
    assert any(kind == "PodDisruptionBudget" for kind, _ in objects) == values["podDisruptionBudget"]["enabled"]
    assert any(kind == "NetworkPolicy" for kind, _ in objects) == values["networkPolicy"]["enabled"]
    for (kind, _), each in objects.items():
        assert is_within({"app.kubernetes.io/instance": "gate"}, each["metadata"]["labels"])
        if kind == "Service":
            assert is_within(each["spec"]["selector"], labels), "a service selects nothing"
            assert all(port["targetPort"] in ports for port in each["spec"]["ports"])
        if kind == "PodDisruptionBudget":
            assert is_within(each["spec"]["selector"]["matchLabels"], labels)
        if kind == "HorizontalPodAutoscaler":
            assert each["spec"]["scaleTargetRef"]["name"] == name
            assert each["spec"]["minReplicas"] <= each["spec"]["maxReplicas"]
        if kind == "NetworkPolicy":
            assert is_within(each["spec"]["podSelector"]["matchLabels"], labels)
            for rule in each["spec"]["ingress"]:
                assert all(port["port"] in ports for port in rule["ports"])
                if "admin" in [port["port"] for port in rule["ports"]]:
                    assert rule["from"], "everybody reaches the admin interface"
            assert ("Egress" in each["spec"]["policyTypes"]) == ("egress" in each["spec"])
    return container, ports


def check_configuration(objects, values, container, ports):
    """As the pod sees it: headgate itself reads it, with the variables that the container has."""
    maps = [each for (kind, _), each in objects.items() if kind == "ConfigMap"]
    volumes = [each for (kind, _), each in objects.items() if kind == "Deployment"][0]["spec"]["template"]["spec"]["volumes"]
    [named] = [each["configMap"]["name"] for each in volumes if each["name"] == "config"]
    if values["existingConfigMap"]:
        assert not maps and named == values["existingConfigMap"]
        return None
    [config_map] = maps
    assert named == config_map["metadata"]["name"]
    config = json.loads(config_map["data"]["headgate.json"])
    listens = config["listen"] if isinstance(config["listen"], list) else [config["listen"]]
    listens = {int((each["address"] if isinstance(each, dict) else each).rpartition(":")[2]) for each in listens}
    assert {port for name, port in ports.items() if name != "admin"} == listens, "ports and listen are not the same"
    if "admin" in ports:
        assert config["admin"]["listen"] == f":{ports['admin']}"
    environment = {each["name"]: each.get("value") or ENVIRONMENT[each["name"]] for each in container["env"]}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in config_map["data"].items():
            # Certificates come from a Secret; here from what other tests have.
            beside = pathlib.Path(__file__).parents[2] / "unit/config/beside/tls"
            text = text.replace("/run/secrets/tls/tls.crt", str(beside / "good.pem")).replace("/run/secrets/tls/tls.key", str(beside / "good.key"))
            pathlib.Path(folder, name).write_text(text)
        ran = subprocess.run([headgate, "check", "-c", folder + "/headgate.json"], capture_output=True, text=True, env={**os.environ, **environment})
        assert ran.returncode == 0, ran.stdout + ran.stderr
    return config


def refusal(path):
    values = rendered_values(path)
    return next(jsonschema.Draft7Validator(schema).iter_errors(values), None)


def rendered_values(path):
    """Merged as the chart merges them, though templates could not use them."""
    values = yaml.safe_load(pathlib.Path(chart, "values.yaml").read_text())
    for key, value in (yaml.safe_load(pathlib.Path(path).read_text()) or {}).items():
        values[key] = {**values[key], **value} if isinstance(value, dict) and isinstance(values.get(key), dict) else value
    return values


configurations = {}
for path in sorted(pathlib.Path(accepted).glob("*.yaml")):
    try:
        templates = rendered(str(path))
        jsonschema.Draft7Validator(schema).validate(templates["values"])
        objects = objects_of(templates)
        container, ports = check_links(objects, templates["values"])
        configurations[path.stem] = check_configuration(objects, templates["values"], container, ports)
        print(f"{path.name}: {len(objects)} objects")
    except (AssertionError, jsonschema.ValidationError) as failure:
        sys.exit(f"{path.name}: {failure}")
for path in sorted(pathlib.Path(refused).glob("*.yaml")):
    if refusal(path) is None:
        sys.exit(f"{path.name} is not refused")

# Every value that can be given is described, and the other way round.
defaults = yaml.safe_load(pathlib.Path(chart, "values.yaml").read_text())
assert set(defaults) | {"global"} == set(schema["properties"]), set(defaults) ^ set(schema["properties"])
assert configurations["production"]["redis"] == {"url": "${REDIS_URL}", "instances": 12}
assert configurations["own-words-win"]["redis"] == {"url": "rediss://redis.example.com", "instances": 40}
assert configurations["own-words-win"]["drain"] == "3s" and configurations["own-words-win"]["drain_delay"] == "5s"
print("rendered, linked, and read by headgate")
