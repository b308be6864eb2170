#pragma once
// The bodies and answers of the admin interface, as JSON Schema.

#include <array>
#include <string_view>

namespace headgate::admin {

struct NamedSchema {
  std::string_view name;  ///< as AdminAbout has it
  std::string_view json;
};

inline constexpr std::array kSchemas = {
    NamedSchema{"Problem", R"({"type": "object", "required": ["title", "status", "detail"], "properties": {
      "title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"},
      "help": {"type": "string"}, "parameter": {"type": "string"},
      "mistakes": {"type": "array", "items": {"$ref": "#/components/schemas/Mistake"}}}})"},
    NamedSchema{"Mistake", R"({"type": "object", "required": ["severity", "message"], "properties": {
      "file": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"},
      "pointer": {"type": "string"}, "code": {"type": "string"}, "severity": {"enum": ["error", "warning"]},
      "message": {"type": "string"}, "help": {"type": "string"}}})"},
    NamedSchema{"Status", R"({"type": "object", "required": ["version", "instance", "pid", "started", "uptime_seconds",
      "state", "reasons", "config", "redis", "workers", "connections", "rates", "log_level"], "properties": {
      "version": {"type": "string"}, "instance": {"type": "string"}, "pid": {"type": "integer"},
      "started": {"type": "string", "format": "date-time"}, "uptime_seconds": {"type": "integer"},
      "state": {"enum": ["ready", "degraded", "not_ready", "draining"]},
      "reasons": {"type": "array", "items": {"type": "string"}},
      "details": {"type": "array", "items": {"type": "object", "required": ["reason", "severity", "sentence", "since",
        "seconds"], "properties": {"reason": {"type": "string"}, "severity": {"enum": ["not_ready", "degraded", "info"]},
        "sentence": {"type": "string"}, "subject": {"type": "string"}, "why": {"type": "string"},
        "since": {"type": "string", "format": "date-time"}, "seconds": {"type": "integer"},
        "command": {"type": "string"}}}},
      "config": {"type": "object", "required": ["since", "age_seconds"], "properties": {
        "file": {"type": "string"}, "sha256": {"type": "string"}, "since": {"type": "string", "format": "date-time"},
        "age_seconds": {"type": "integer"}, "last_reload": {"type": "object", "required": ["at", "applied"]},
        "waiting_for_restart": {"type": "array", "items": {"type": "string"}}}},
      "candidate": {"type": "object", "required": ["sha256"], "properties": {"sha256": {"type": "string"},
        "file": {"type": "string"}}},
      "redis": {"type": "array", "items": {"type": "object", "required": ["server", "state"], "properties": {
        "server": {"type": "string"}, "state": {"enum": ["up", "trying", "down"]}}}},
      "gateways": {"type": "object", "required": ["configured", "counted"], "properties": {
        "seen": {"type": "integer"}, "configured": {"type": "integer"}, "counted": {"type": "integer"}}},
      "workers": {"type": "integer"}, "connections": {"type": "integer"}, "log_level": {"type": "string"},
      "rates": {"type": "object", "required": ["over_seconds", "requests_per_second", "rejected_per_second",
        "failed_per_second", "received_bytes_per_second", "sent_bytes_per_second"],
        "properties": {"over_seconds": {"type": "number"}, "requests_per_second": {"type": "number"},
        "rejected_per_second": {"type": "number"}, "failed_per_second": {"type": "number"},
        "received_bytes_per_second": {"type": "number"}, "sent_bytes_per_second": {"type": "number"},
        "p50_seconds": {"type": "number"}, "p95_seconds": {"type": "number"}}}}})"},
    NamedSchema{"Config", R"({"type": "object", "required": ["file", "sha256", "since", "config"], "properties": {
      "file": {"type": "string"}, "sha256": {"type": "string"}, "since": {"type": "string", "format": "date-time"},
      "config": {"type": "object"}}})"},
    NamedSchema{"ConfigDiff", R"({"type": "object", "required": ["file", "differs", "differences", "complete"],
      "properties": {"file": {"type": "string"}, "differs": {"type": "boolean"}, "complete": {"type": "boolean"},
      "differences": {"type": "array", "items": {"type": "object", "required": ["pointer"]}}}})"},
    NamedSchema{"Reloaded", R"({"type": "object",
      "required": ["file", "from", "changed", "listeners", "waiting_for_restart", "limits_begun_anew", "warnings"],
      "properties": {"file": {"type": "string"}, "from": {"enum": ["file", "previous", "candidate"]}, "changed": {"type": "array", "items": {"type": "string"}},
      "listeners": {"type": "object", "required": ["added", "removed", "changed"]},
      "waiting_for_restart": {"type": "array", "items": {"type": "string"}},
      "limits_begun_anew": {"type": "array", "items": {"type": "object", "required": ["limit", "why"], "properties": {
        "limit": {"type": "string"}, "why": {"type": "string"}}}},
      "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Mistake"}}}})"},
    NamedSchema{"Candidate", R"({"type": "object", "required": ["from", "sha256", "since", "routes", "limits", "keys",
      "max_keys", "notes"], "properties": {"from": {"enum": ["file", "admin"]}, "file": {"type": "string"},
      "sha256": {"type": "string"}, "since": {"type": "string", "format": "date-time"}, "routes": {"type": "integer"},
      "limits": {"type": "integer"}, "keys": {"type": "integer"}, "max_keys": {"type": "integer"},
      "notes": {"type": "array", "items": {"type": "string"}}}})"},
    NamedSchema{"CandidateText",
                R"({"type": "object", "description": "a configuration; or only file, the path of one"})"},
    NamedSchema{"PolicyText", R"({"type": "object", "description": "a configuration"})"},
    NamedSchema{"CandidateSet", R"({"type": "object", "required": ["set", "warnings"], "properties": {
      "set": {"type": "boolean"}, "file": {"type": "string"},
      "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Mistake"}}}})"},
    NamedSchema{"CandidateDropped", R"({"type": "object", "required": ["dropped"], "properties": {
      "dropped": {"type": "boolean"}}})"},
    NamedSchema{"CandidateCounts", R"({"type": "object", "required": ["both_allowed", "both_refused", "hit", "freed"],
      "properties": {"limit": {"type": "string"}, "tier": {"type": "string"}, "both_allowed": {"type": "integer"},
      "both_refused": {"type": "integer"}, "hit": {"type": "integer"}, "freed": {"type": "integer"},
      "undecided": {"type": "integer"}}})"},
    NamedSchema{"CandidateKeys", R"({"type": "array", "items": {"type": "object", "required": ["key_id", "requests"],
      "properties": {"key": {"type": "string"}, "key_id": {"type": "string"}, "requests": {"type": "integer"}}}})"},
    NamedSchema{"CandidateDiff", R"({"type": "object", "required": ["candidate", "requests", "undecided", "limits",
      "keys"], "properties": {"candidate": {"$ref": "#/components/schemas/Candidate"},
      "requests": {"$ref": "#/components/schemas/CandidateCounts"},
      "undecided": {"type": "object", "additionalProperties": {"type": "integer"}},
      "limits": {"type": "array", "items": {"$ref": "#/components/schemas/CandidateCounts"}},
      "keys": {"type": "array", "items": {"type": "object", "required": ["limit", "missed", "hit", "freed"],
        "properties": {"limit": {"type": "string"}, "missed": {"type": "integer"},
        "hit": {"$ref": "#/components/schemas/CandidateKeys"},
        "freed": {"$ref": "#/components/schemas/CandidateKeys"}}}}}})"},
    NamedSchema{"Limit", R"({"type": "object", "required": ["limit", "means", "per", "mode", "store", "tiers",
      "decisions", "keys_in_memory"], "properties": {
      "limit": {"type": "string"}, "means": {"type": "string"}, "per": {"type": "array", "items": {"type": "string"}},
      "mode": {"enum": ["enforce", "observe"]}, "store": {"enum": ["memory", "redis"]},
      "if_redis_down": {"enum": ["allow", "reject", "count_locally"]},
      "tiers": {"type": "array", "items": {"type": "object", "required": ["rules"]}},
      "decisions": {"type": "object", "required": ["allowed", "rejected", "observed"]},
      "keys_in_memory": {"type": "integer"},
      "scaled": {"type": "array", "items": {"type": "string"}}}})"},
    NamedSchema{"Limits", R"({"type": "object", "required": ["limits"], "properties": {
      "limits": {"type": "array", "items": {"$ref": "#/components/schemas/Limit"}}}})"},
    NamedSchema{"Key", R"({"type": "object", "required": ["limit", "key", "store", "rules"], "properties": {
      "limit": {"type": "string"}, "key": {"type": "string"}, "key_id": {"type": "string"},
      "tier": {"type": "string"}, "override": {"type": "object", "required": ["rate", "until"]},
      "suspended_until": {"type": "string", "format": "date-time"},
       "store": {"enum": ["memory", "redis"]}, "reset": {"type": "boolean"}, "shards": {"type": "integer"},
      "rules": {"type": "array", "items": {"type": "object",
        "required": ["rule", "limit", "used", "remaining", "next_request"], "properties": {
        "rule": {"type": "string"}, "limit": {"type": "integer"}, "used": {"type": "integer"},
        "remaining": {"type": "integer"}, "full_in_seconds": {"type": "number"},
        "next_request": {"enum": ["allowed", "rejected", "observed", "suspended"]}, "retry_after_seconds": {"type": "number"}}}}}})"},
    NamedSchema{"Forgotten", R"({"type": "object", "required": ["limit", "store", "keys"], "properties": {
      "limit": {"type": "string"}, "store": {"enum": ["memory", "redis"]}, "keys": {"type": "integer"},
      "looked_at": {"type": "integer"}, "of": {"type": "integer"}, "more": {"type": "string"},
      "not_done": {"type": "array", "items": {"type": "object", "required": ["server", "why"], "properties": {
        "server": {"type": "string"}, "why": {"type": "string"}}}}}})"},
    NamedSchema{"Top", R"({"type": "object", "required": ["limit", "mode", "by", "window", "seconds", "requests",
      "missed", "sampled", "keys"], "properties": {
      "limit": {"type": "string"}, "mode": {"enum": ["enforce", "observe"]}, "by": {"enum": ["rejected", "allowed"]},
      "window": {"enum": ["1m", "1h"]}, "seconds": {"type": "number"}, "requests": {"type": "integer"},
      "missed": {"type": "integer"}, "sampled": {"type": "integer"},
      "keys": {"type": "array", "items": {"type": "object", "required": ["key_id", "requests", "share", "per_second"],
        "properties": {"key": {"type": "string"}, "key_id": {"type": "string"}, "requests": {"type": "integer"},
        "share": {"type": "number"}, "per_second": {"type": "number"}}}}}})"},
    NamedSchema{"Tops", R"({"type": "object", "required": ["limits"], "properties": {
      "limits": {"type": "array", "items": {"$ref": "#/components/schemas/Top"}}}})"},
    NamedSchema{"Routes", R"({"type": "object", "required": ["total", "first", "routes"], "properties": {
      "total": {"type": "integer"}, "first": {"type": "integer"},
      "routes": {"type": "array", "items": {"type": "object", "required": ["route", "path", "limits"]}}}})"},
    NamedSchema{"Servers", R"({"type": "object", "required": ["upstreams"], "properties": {
      "upstreams": {"type": "array", "items": {"type": "object", "required": ["upstream", "servers"], "properties": {
        "upstream": {"type": "string"}, "circuit": {"enum": ["closed", "open", "half_open"]},
        "circuit_tries_in_seconds": {"type": "integer"},
        "retries": {"type": "object", "additionalProperties": {"type": "integer"}},
        "queues": {"type": "array", "items": {"type": "object", "required": ["for", "waiting", "length"], "properties": {
          "for": {"enum": ["servers", "in_flight", "adaptive"]}, "waiting": {"type": "integer"},
          "length": {"type": "integer"}}}},
        "servers": {"type": "array", "items": {"type": "object", "required": ["server", "in", "up", "in_flight",
          "weight", "attempts_per_second", "errors_per_second", "not_connected_per_second"], "properties": {
          "server": {"type": "string"}, "in": {"type": "boolean"}, "up": {"type": "boolean"},
          "out": {"type": "array", "items": {"enum": ["ejected", "unhealthy", "drained", "down"]}},
          "reason": {"type": "string"}, "seconds": {"type": "integer"},
          "failing": {"type": "object", "required": ["in_a_row", "seconds", "last_tried_seconds", "last"]},
          "next_trial_seconds": {"type": "integer"}, "in_flight": {"type": "integer"},
          "weight": {"type": "integer"}, "max_in_flight": {"type": "integer"}, "backup": {"type": "boolean"},
          "set_by_operator": {"type": "boolean"}, "attempts_per_second": {"type": "number"},
          "errors_per_second": {"type": "number"}, "not_connected_per_second": {"type": "number"},
          "p95_seconds": {"type": "number"},
          "last_check": {"type": "object", "required": ["passed", "seconds_ago"]}}}}}}}}})"},
    NamedSchema{"Connections", R"({"type": "object", "required": ["workers", "answered", "open", "bound", "addresses",
      "left_out", "connections"], "properties": {
      "workers": {"type": "integer"}, "answered": {"type": "integer"}, "open": {"type": "integer"},
      "bound": {"type": "integer"}, "addresses": {"type": "integer"}, "left_out": {"type": "integer"},
      "connections": {"type": "array", "items": {"type": "object", "required": ["address", "open", "idle", "requests",
        "oldest_seconds", "share"], "properties": {"address": {"type": "string"}, "open": {"type": "integer"},
        "idle": {"type": "integer"}, "requests": {"type": "integer"}, "oldest_seconds": {"type": "number"},
        "share": {"type": "number"}}}}}})"},
    NamedSchema{"EndedConnections", R"({"type": "object", "required": ["address", "workers", "answered",
      "requests_answered", "requests_broken_off", "connections_closed"], "properties": {
      "address": {"type": "string"}, "workers": {"type": "integer"}, "answered": {"type": "integer"},
      "requests_answered": {"type": "integer"}, "requests_broken_off": {"type": "integer"},
      "connections_closed": {"type": "integer"}}})"},
    NamedSchema{"Request", R"({"type": "object", "required": ["id", "seconds", "state", "protocol", "method", "host",
      "path", "route", "address", "received_bytes", "sent_bytes"], "properties": {
      "id": {"type": "string"}, "seconds": {"type": "number"},
      "state": {"enum": ["deciding", "auth", "limit", "queue", "retry", "receiving", "connecting", "server", "sending",
        "streaming", "tunnel"]},
      "protocol": {"enum": ["HTTP/1.0", "HTTP/1.1", "HTTP/2.0"]},
      "method": {"type": "string"}, "host": {"type": "string"}, "path": {"type": "string"},
      "route": {"type": "string"}, "address": {"type": "string"}, "upstream": {"type": "string"},
      "server": {"type": "string"}, "limit": {"type": "string"}, "key_id": {"type": "string"},
      "caller": {"type": "object"}, "received_bytes": {"type": "integer"}, "sent_bytes": {"type": "integer"}}})"},
    NamedSchema{"Requests", R"({"type": "object", "required": ["workers", "answered", "matching", "left_out",
      "requests"], "properties": {
      "workers": {"type": "integer"}, "answered": {"type": "integer"}, "matching": {"type": "integer"},
      "left_out": {"type": "integer"},
      "requests": {"type": "array", "items": {"$ref": "#/components/schemas/Request"}}}})"},
    NamedSchema{"EndedRequest", R"({"allOf": [{"$ref": "#/components/schemas/Request"}, {"type": "object",
      "required": ["client"], "properties": {"client": {"enum": ["answered", "closed"]}}}]})"},
    NamedSchema{"LastEvents", R"({"type": "object", "required": ["number", "missed", "events"], "properties": {
      "number": {"type": "integer"}, "missed": {"type": "integer"},
      "events": {"type": "array", "items": {"type": "object", "required": ["ts", "level", "event"], "properties": {
        "ts": {"type": "string", "format": "date-time"}, "level": {"enum": ["info", "warning", "error"]},
        "instance": {"type": "string"}, "event": {"type": "string"}, "message": {"type": "string"}}}}}})"},
    NamedSchema{"Refused", R"({"type": "object", "required": ["left_out", "heads_shown", "refused"], "properties": {
      "left_out": {"type": "integer"}, "heads_shown": {"type": "boolean"},
      "refused": {"type": "array", "items": {"type": "object", "required": ["at", "address", "reason"], "properties": {
        "at": {"type": "string", "format": "date-time"}, "address": {"type": "string"}, "reason": {"type": "string"},
        "status": {"type": "integer"}, "method": {"type": "string"}, "host": {"type": "string"},
        "path": {"type": "string"}, "byte": {"type": "integer"},
        "excerpt": {"type": "object", "required": ["before", "wrong", "after"], "properties": {
          "before": {"type": "string"}, "wrong": {"type": "string"}, "after": {"type": "string"}}},
        "head": {"type": "string"}, "head_cut": {"type": "boolean"}}}}}})"},
    NamedSchema{"RouteTraffic", R"({"type": "object", "required": ["requests_per_second", "statuses_per_second",
      "received_bytes_per_second", "sent_bytes_per_second"], "properties": {
      "route": {"type": "string"}, "requests_per_second": {"type": "number"},
      "statuses_per_second": {"type": "object", "required": ["2xx", "3xx", "4xx", "429", "5xx"]},
      "received_bytes_per_second": {"type": "number"}, "sent_bytes_per_second": {"type": "number"},
      "seconds": {"type": "object", "required": ["p50", "p95", "p99"]},
      "own_seconds": {"type": "object", "required": ["p50", "p95", "p99"]}}})"},
    NamedSchema{"Traffic", R"({"type": "object", "required": ["window", "over_seconds", "total", "routes", "left_out"],
      "properties": {"window": {"enum": ["10s", "1m"]}, "over_seconds": {"type": "number"},
      "total": {"$ref": "#/components/schemas/RouteTraffic"},
      "routes": {"type": "array", "items": {"$ref": "#/components/schemas/RouteTraffic"}},
      "left_out": {"type": "object", "required": ["routes", "requests_per_second"]}}})"},
    NamedSchema{"TrafficHistory", R"({"type": "object", "required": ["rows"], "properties": {
      "rows": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/RouteTraffic"}, {"type": "object",
        "required": ["end", "over_seconds"], "properties": {
        "end": {"type": "string", "format": "date-time"}, "over_seconds": {"type": "number"}}}]}}}})"},
    NamedSchema{"Rooms", R"({"type": "object", "required": ["rooms"], "properties": {
      "rooms": {"type": "array", "items": {"type": "object", "required": ["room", "mode", "store", "waiting", "inside",
        "visitors", "wait_seconds", "admitted", "told_to_wait", "lost"], "properties": {
        "room": {"type": "string"}, "mode": {"enum": ["enforce", "observe"]}, "store": {"enum": ["memory", "redis"]},
        "waiting": {"type": "number"}, "inside": {"type": "number"}, "visitors": {"type": "integer"},
        "wait_seconds": {"type": "number"}, "admitted": {"type": "integer"}, "told_to_wait": {"type": "integer"},
        "lost": {"type": "integer"}}}}}})"},
    NamedSchema{"Simulated", R"({"type": "object", "required": ["requests", "limits", "notes", "comparison"],
      "properties": {"requests": {"type": "integer"}, "limits": {"type": "array"},
        "notes": {"type": "array", "items": {"type": "string"}}, "comparison": {"type": "object", "required": [
        "refused_before", "refused_after", "limits"]}}})"},
    NamedSchema{"Role", R"({"type": "object", "required": ["role"], "properties": {
      "role": {"enum": ["local", "reader", "operator"]}}})"},
    NamedSchema{"ConfigPlaces", R"({"type": "object", "required": ["file", "places"], "properties": {
      "file": {"type": "string"}, "places": {"type": "object", "additionalProperties": {"type": "string"}}}})"},
    NamedSchema{"Bounds", R"({"type": "object", "required": ["bounds"], "properties": {
      "bounds": {"type": "array", "items": {"type": "object",
        "required": ["bound", "used", "limit", "unit", "share", "warns", "when_full"], "properties": {
        "bound": {"type": "string"}, "used": {"type": "integer"}, "limit": {"type": "integer"},
        "unit": {"enum": ["count", "bytes"]}, "share": {"type": "number"}, "warns": {"type": "boolean"},
        "when_full": {"type": "string"}, "held_by": {"type": "string"}, "refused": {"type": "integer"}}}}}})"},
    NamedSchema{"Certificates", R"({"type": "object", "required": ["certificates"], "properties": {
      "certificates": {"type": "array", "items": {"type": "object", "required": ["file", "use", "used_by", "subject",
        "issuer", "serial", "names", "not_before", "not_after", "days_left", "loaded"], "properties": {
        "file": {"type": "string"}, "use": {"enum": ["listener", "clients_ca", "upstream", "upstream_ca"]},
        "used_by": {"type": "array", "items": {"type": "string"}}, "subject": {"type": "string"},
        "issuer": {"type": "string"}, "serial": {"type": "string"},
        "names": {"type": "array", "items": {"type": "string"}},
        "not_before": {"type": "string", "format": "date-time"},
        "not_after": {"type": "string", "format": "date-time"}, "days_left": {"type": "integer"},
        "loaded": {"type": "string", "format": "date-time"},
        "ocsp": {"enum": ["good", "revoked", "stale", "refused"]},
        "ocsp_until": {"type": "string", "format": "date-time"}, "refused": {"type": "string"},
        "ending": {"type": "string"}}}}}})"},
    NamedSchema{"ServerState", R"({"type": "object", "required": ["state"], "properties": {
      "state": {"enum": ["up", "drain", "down"]}, "upstream": {"type": "string"}, "server": {"type": "string"},
      "in_flight": {"type": "integer"}}})"},
    NamedSchema{"ServerSize", R"({"type": "object", "properties": {
      "weight": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000},
      "max_in_flight": {"type": ["integer", "null"], "minimum": 1, "maximum": 10000000},
      "upstream": {"type": "string"}, "server": {"type": "string"}}})"},
    NamedSchema{"LogLevel", R"({"type": "object", "required": ["level"], "properties": {
      "level": {"enum": ["debug", "info", "warning", "error", "off"]}, "until": {"type": "string"}}})"},
    NamedSchema{"Draining", R"({"type": "object", "required": ["state"], "properties": {
      "state": {"const": "draining"}}})"},
    NamedSchema{"NewBan", R"({"type": "object", "required": ["limit", "key"], "properties": {
      "limit": {"type": "string"}, "key": {"type": "string"}, "for": {"type": "string", "examples": ["1h"]}}})"},
    NamedSchema{"Ban", R"({"type": "object",
      "required": ["limit", "key", "since", "until", "seconds_left", "reason", "level", "observed"], "properties": {
      "limit": {"type": "string"}, "key": {"type": "string"}, "since": {"type": "string", "format": "date-time"},
      "until": {"type": "string", "format": "date-time"}, "seconds_left": {"type": "integer"},
      "reason": {"type": "string"}, "level": {"type": "integer"}, "observed": {"type": "boolean"},
      "key_id": {"type": "string"}, "warning": {"type": "string"},
      "gateways": {"$ref": "#/components/schemas/Gateways"}}})"},
    NamedSchema{"Bans", R"({"type": "object", "required": ["bans"], "properties": {
      "bans": {"type": "array", "items": {"$ref": "#/components/schemas/Ban"}}}})"},
    NamedSchema{"Lifted", R"({"type": "object", "required": ["lifted"], "properties": {
      "lifted": {"type": "object", "required": ["limit", "key"]}, "store": {"enum": ["memory", "redis"]},
      "gateways": {"$ref": "#/components/schemas/Gateways"}}})"},
    NamedSchema{"Gateways", R"({"type": "object", "required": ["written"], "properties": {
      "written": {"type": "boolean"}, "heard": {"type": "integer"}, "of": {"type": "integer"}}})"},
    NamedSchema{"NewOverride", R"({"type": "object", "required": ["rate", "for"], "properties": {
      "rate": {"oneOf": [{"type": "string", "examples": ["500/minute", "unlimited"]},
        {"type": "array", "items": {"type": "string"}}]},
      "burst": {"type": "integer"}, "for": {"type": "string", "examples": ["1h"]}, "why": {"type": "string"}}})"},
    NamedSchema{"Override", R"({"type": "object", "required": ["limit", "key", "rate", "since", "until",
      "seconds_left"], "properties": {
      "limit": {"type": "string"}, "key": {"type": "string"},
      "rate": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
      "burst": {"type": "integer"}, "why": {"type": "string"}, "since": {"type": "string", "format": "date-time"},
      "until": {"type": "string", "format": "date-time"}, "seconds_left": {"type": "integer"},
      "without_effect": {"type": "string"}, "store": {"enum": ["memory", "redis"]},
      "key_id": {"type": "string"}, "warning": {"type": "string"},
      "gateways": {"$ref": "#/components/schemas/Gateways"}}})"},
    NamedSchema{"Overrides", R"({"type": "object", "required": ["overrides"], "properties": {
      "overrides": {"type": "array", "items": {"$ref": "#/components/schemas/Override"}}}})"},
    NamedSchema{"NewApiKey", R"({"type": "object", "required": ["owner"], "properties": {
      "owner": {"type": "string"}, "tier": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
      "expires": {"type": "string"}, "limits": {"type": "object"}, "prefix": {"type": "string"},
      "sha256": {"type": "string"}}})"},
    NamedSchema{"ApiKey", R"({"type": "object", "required": ["id", "owner", "state"], "properties": {
      "id": {"type": "string"}, "owner": {"type": "string"}, "tier": {"type": "string"},
      "tags": {"type": "array", "items": {"type": "string"}}, "limits": {"type": "array", "items": {"type": "string"}},
      "state": {"enum": ["valid", "expired", "disabled", "revoked"]},
      "expires": {"type": "string", "format": "date-time"}, "issued": {"type": "string", "format": "date-time"},
      "revoked": {"type": "string", "format": "date-time"}}})"},
    NamedSchema{"ApiKeyChange", R"({"type": "object", "required": ["id", "owner", "state", "file", "store"],
      "properties": {"id": {"type": "string"}, "owner": {"type": "string"}, "tier": {"type": "string"},
      "tags": {"type": "array", "items": {"type": "string"}}, "limits": {"type": "array", "items": {"type": "string"}},
      "state": {"enum": ["valid", "expired", "disabled", "revoked"]},
      "expires": {"type": "string", "format": "date-time"}, "issued": {"type": "string", "format": "date-time"},
      "revoked": {"type": "string", "format": "date-time"}, "key": {"type": "string"},
      "file": {"type": "object", "required": ["written"], "properties": {
        "written": {"type": "boolean"}, "why": {"type": "string"}}},
      "store": {"enum": ["memory", "redis"]}, "gateways": {"$ref": "#/components/schemas/Gateways"}}})"},
    NamedSchema{"ApiKeys", R"({"type": "object", "required": ["issues", "keys"], "properties": {
      "issues": {"type": "boolean"}, "after": {"type": "string"},
      "keys": {"type": "array", "items": {"$ref": "#/components/schemas/ApiKey"}}}})"},
    NamedSchema{"UsageDays", R"({"type": "object", "required": ["limits", "days"], "properties": {
      "time_zone": {"type": "string"}, "limits": {"type": "array", "items": {"type": "string"}},
      "days": {"type": "array", "items": {"type": "object",
        "required": ["day", "from", "until", "complete", "complete_from"], "properties": {
        "day": {"type": "string", "format": "date"}, "from": {"type": "string", "format": "date-time"},
        "until": {"type": "string", "format": "date-time"}, "complete": {"type": "boolean"},
        "complete_from": {"type": "string", "format": "date-time"}}}}}})"},
    NamedSchema{"Usage", R"({"oneOf": [{"$ref": "#/components/schemas/UsageDays"},
      {"$ref": "#/components/schemas/UsageHistory"}]})"},
    NamedSchema{"UsageHistory", R"({"type": "object", "required": ["from", "to", "time_zone", "kept_from", "limits"],
      "properties": {"from": {"type": "string", "format": "date"}, "to": {"type": "string", "format": "date"},
      "time_zone": {"type": "string"}, "kept_from": {"type": "string", "format": "date"},
      "limits": {"type": "array", "items": {"type": "object",
        "required": ["limit", "key", "used", "requests", "months", "days"], "properties": {
        "limit": {"type": "string"}, "key": {"type": "string"}, "used": {"type": "integer"},
        "requests": {"type": "integer"},
        "months": {"type": "array", "items": {"type": "object", "required": ["month", "used", "requests", "complete"]}},
        "days": {"type": "array", "items": {"type": "object", "required": ["day", "used", "requests", "complete"]}}}}}}})"},
    NamedSchema{"UsageRecord", R"({"type": "object",
      "required": ["day", "limit", "key", "used", "requests", "complete", "cursor"], "properties": {
      "day": {"type": "string", "format": "date"}, "limit": {"type": "string"}, "key": {"type": "string"},
      "owner": {"type": "string"}, "used": {"type": "integer"}, "requests": {"type": "integer"},
      "complete": {"type": "boolean"}, "cursor": {"type": "string"}}})"},
    NamedSchema{"ExplainedRequest", R"({"type": "object", "required": ["url"], "properties": {
      "method": {"type": "string"}, "url": {"type": "string"}, "ip": {"type": "string"},
      "headers": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}})"},
    NamedSchema{"Explanation", R"({"type": "object",
      "required": ["request", "route", "outcome", "caller", "limits", "candidates", "other_routes"], "properties": {
      "request": {"type": "object", "required": ["method", "host", "path"]},
      "route": {"properties": {
        "name": {"type": "string"}, "path": {"type": "string"}, "to": {"type": "string"},
        "by_chance": {"type": "array", "items": {"type": "object", "required": ["to", "share"]}}}},
      "outcome": {"type": "object", "required": ["passes", "ended_by"], "properties": {
        "passes": {"type": "boolean"}, "status": {"type": "integer"}, "ended_by": {"type": "string"},
        "limit": {"type": "string"}, "detail": {"type": "string"}, "retry_after": {"type": "integer"},
        "besides": {"type": "array", "items": {"type": "string"}},
        "fails": {"type": "object", "required": ["upstream", "what", "why"]},
        "may_fail": {"type": "object", "required": ["upstream", "what", "why"]}}},
      "caller": {"type": "object", "required": ["address", "through_trusted_proxy", "proofs"]},
      "limits": {"type": "array", "items": {"type": "object", "required": ["limit", "per", "applies", "mode"]}},
      "candidates": {"type": "array", "items": {"type": "object", "required": ["route", "path", "why"]}},
      "other_routes": {"type": "integer"}}})"},
    NamedSchema{"Object", R"({"type": "object"})"},
};

}  // namespace headgate::admin
