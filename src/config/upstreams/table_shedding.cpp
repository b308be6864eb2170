// Load shedding: how much an upstream can take, and who goes first.

#include "config/table_shapes.hpp"

#include "headgate/shed/priority.hpp"

namespace headgate::config {
namespace {

constexpr Shape kPlaces = integer(1, 1'000'000'000);
constexpr Shape kShare = text("a share", check_share);
constexpr Shape kPlaceQueueLength = integer(1, 100'000);
constexpr Shape kQueuePer = text("whose requests stand in one line", check_per);
constexpr Shape kQueuePers = list("a list of what tells callers apart", kQueuePer, 1, 8);
constexpr const Shape* kQueuePerForms[] = {&kQueuePer, &kQueuePers};
constexpr Shape kQueuePerOrPers{.form = Form::either,
                                .what = "what tells callers apart, or a list of that",
                                .registered = per_words,
                                .forms = kQueuePerForms};
constexpr Key kQueueKeys[] = {
    {"length", &kPlaceQueueLength, "100", "100",
     "Maximum number of requests that wait: of each worker for its limit, of each gateway for `in_flight`"},
    {"wait", &kDuration, "500ms", R"("500ms")",
     "Longest wait; a request that cannot be answered before its route's `timeout` or its `X-Request-Deadline` waits "
     "less"},
    {"per", &kQueuePerOrPers, "", R"("api_key")",
     "Each value of this has a line of its own, and the lines are served in turn: {words}; default: `client_ip`"},
};
constexpr Section kQueue{"queue", "upstreams.<name>.concurrency.queue",
                         "Requests that wait for a place instead of being refused at once.", kQueueKeys};
constexpr Shape kQueueShape = section(kQueue);
constexpr Key kConcurrencyKeys[] = {
    {"adaptive", &kBoolean, "true", "false",
     "Whether each worker finds out from the latency of answers how many requests the upstream can take from it at the "
     "same time, and refuses more with 503"},
    {"min", &kPlaces, "4", "4", "With `adaptive`: a worker's limit never falls below this"},
    {"max", &kPlaces, "1000", "1000", "With `adaptive`: it never rises above this"},
    {"in_flight", &kPlaces, "", "400",
     "Maximum number of requests at the same time, from their admission to their end; of all gateways together if "
     "there "
     "is a `redis` block, else of this one"},
    {"queue", &kQueueShape, "", R"({ "length": 100, "wait": "500ms", "per": "api_key" })",
     "Requests over a worker's limit (`adaptive`) and over `in_flight` wait for a place, by priority, and in an order "
     "that is fair to callers. Default: they are refused at once"},
    {"reserved", &kShare, "", R"("20%")",
     "Share of both that only requests with the priority `critical` may use, also while there are none. Without it, "
     "too, "
     "lower priorities are refused first"},
};
constexpr Shape kPriorityFrom = text("a header of trusted proxies", check_priority_from);
constexpr Key kSheddingKeys[] = {
    {"priority_from", &kPriorityFrom, "", R"("header:X-Priority")",
     "A field in which trusted proxies say the priority of a request: `critical`, `normal` or `low`; from anybody else "
     "it is not believed"},
    {"loop_lag", &kDuration, "", R"("50ms")",
     "How late a worker may come to its own work before it refuses requests, low ones first; default: it refuses none "
     "for that"},
};

}  // namespace

constexpr Section kConcurrencySection{
    "concurrency", "upstreams.<name>.concurrency",
    "How many requests an upstream may have at the same time; more are refused with 503 and `Retry-After`.",
    kConcurrencyKeys};
constexpr Section kSheddingSection{"shedding", "shedding",
                                   "What is refused first when there is too much, see [shedding.md](shedding.md).",
                                   kSheddingKeys};
constexpr Shape kPriorityShape = choice(shed::kPriorityWords);

}  // namespace headgate::config
