// Retries and mirrors.

#include "config/table_shapes.hpp"

#include "headgate/gateway/delivery.hpp"

namespace headgate::config {
namespace {

constexpr Shape kAttempts = integer(1, 10);
constexpr std::span<const std::string_view> kRetryWords{gateway::kRetryReasons, 3};
constexpr Shape kRetryWord = choice(kRetryWords);
constexpr Shape kRetryStatus = integer(400, 599);
constexpr const Shape* kRetryOnForms[] = {&kRetryWord, &kRetryStatus};
constexpr Shape kRetryOn = either("a word or a status", kRetryOnForms);
constexpr Shape kRetryOnAll = list("a list of words and statuses", kRetryOn, 1, 32);
constexpr Shape kRetryBudget = text("a share", check_part);
constexpr Key kRetryKeys[] = {
    {"attempts", &kAttempts, "2", "3", "Maximum number of attempts for a request, with the first one"},
    {"on", &kRetryOnAll, R"(["connect_error", "closed", 502, 503])", R"(["connect_error", "timeout", 503])",
     "What is followed by another attempt: `connect_error` (no server could be connected to), `timeout` (no head of an "
     "answer within `timeout_each`), `closed` (the server closed or reset the connection before the head of its "
     "answer), and statuses of answers: 408, 425, 429 and 500 to 599. All but `connect_error` only for GET, HEAD, PUT, "
     "DELETE, OPTIONS and TRACE, and only if the whole body is held (see `buffer_request`)"},
    {"timeout_each", &kDuration, "", R"("1s")",
     "With `timeout`: how long a server may take to the head of its answer if another attempt can follow; the "
     "route's `timeout` is for all attempts together"},
    {"budget", &kRetryBudget, "20%", R"("10%")",
     "Retries for each first attempt, of all workers together within 10 s; beside it there are always 10 a second"},
};
constexpr Shape kMirrorTo = text("an upstream's name");
constexpr Shape kMirrorShare = text("a share", check_part);
constexpr Shape kMirrorsInFlight = integer(1, 10'000);
constexpr Shape kMirroredBody = size(0, 1UL << 20);
constexpr Key kMirrorKeys[] = {
    {"to", &kMirrorTo, "", R"("shadow")", "The upstream that gets the copies; not the route's own", required},
    {"share", &kMirrorShare, "100%", R"("10%")", "How many requests are copied"},
    {"timeout", &kDuration, "5s", R"("2s")", "From the begin of a copy to the end of its answer"},
    {"in_flight", &kMirrorsInFlight, "32", "32",
     "Maximum number of copies that a worker has under way to this upstream; more are dropped"},
    {"max_body", &kMirroredBody, "64KiB", R"("16KiB")",
     "A request with a larger body is not copied, nor one whose body has not arrived as a whole when it is sent (see "
     "`buffer_request`)"},
};

}  // namespace

constexpr Section kRetrySection{"retry", "upstreams.<name>.retry",
                                "When a request that failed is sent again, to another server if there is one; see "
                                "[servers.md](servers.md#retries).",
                                kRetryKeys};
constexpr Section kMirrorSection{"mirror", "routes[].mirror",
                                 "Copies of requests for another upstream; see [routes.md](routes.md#mirroring).",
                                 kMirrorKeys};

}  // namespace headgate::config
