// Health checks of servers, and how many requests they may have.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kHealthPath = text("a path", check_health_path);
constexpr Shape kHealthHost = text("a host", check_health_host);
constexpr Shape kCheckedStatus = integer(100, 599);
constexpr Shape kCheckedStatuses = text("a range of statuses", check_status_range);
constexpr const Shape* kExpectForms[] = {&kCheckedStatus, &kCheckedStatuses};
constexpr Shape kExpectOne = either("a status or a range of them", kExpectForms);
constexpr Shape kExpect = list("a list of statuses and ranges", kExpectOne, 1, 64);
constexpr Shape kRun = integer(1, 1'000);
constexpr Key kHealthKeys[] = {
    {"path", &kHealthPath, "", R"("/healthz")",
     "Path and query that is asked for with GET, on a connection of its own; without it a check only connects, with "
     "the "
     "TLS handshake for `https://`"},
    {"host", &kHealthHost, "", R"("api.internal")", "The `Host` of that request; default: the server"},
    {"expect", &kExpect, R"(["200-299"])", R"([200, "300-399"])",
     "Which statuses pass: numbers, and ranges such as `200-299`"},
    {"every", &kInterval, "5s", R"("5s")",
     "How often each server is checked; a tenth more or less, so that not all checks come at the same moment"},
    {"timeout", &kDuration, "1s", R"("1s")", "How long one check may take, with connecting"},
    {"down_after", &kRun, "3", "3",
     "How many failed checks in a row take a server out of rotation; the very first check of a server decides alone"},
    {"up_after", &kRun, "2", "2", "How many passed checks in a row bring it back"},
};
constexpr Shape kServerQueueLength = integer(1, 1'000'000);
constexpr Key kServerQueueKeys[] = {
    {"length", &kServerQueueLength, "100", "100", "Maximum number of requests of all workers together that wait"},
    {"wait", &kDuration, "500ms", R"("1s")",
     "Longest wait; a request that cannot be answered before its route's `timeout` or its `X-Request-Deadline` waits "
     "less"},
};

}  // namespace

constexpr Section kHealthSection{"health", "upstreams.<name>.health",
                                 "Whether servers answer is checked in the background, see [servers.md](servers.md).",
                                 kHealthKeys};
constexpr Section kServerQueueSection{
    "server_queue", "upstreams.<name>.queue",
    "With `max_in_flight`: requests that wait for a place at a server, by priority, and one "
    "address after the other; default: they are refused at once.",
    kServerQueueKeys};

}  // namespace headgate::config
