// Servers that fail: when they get no requests, and when an upstream gets none.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kCountOfFailures = integer(1, 1'000);
constexpr Shape kOutcomeCount = integer(1, 1'000'000);
constexpr Shape kTimesSlower = integer(2, 1'000);
constexpr Shape kShareOfFailures = text("a share", check_share);
constexpr Shape kShareOfServers = text("a share", check_share);
constexpr Key kEjectKeys[] = {
    {"in_a_row", &kCountOfFailures, "3", "5",
     "A server is ejected after so many failures without an answer between them"},
    {"share", &kShareOfFailures, "50%", R"("50%")", "Or if this share of its outcomes are failures ..."},
    {"of_last", &kDuration, "10s", R"("10s")", "... within this time ..."},
    {"at_least", &kOutcomeCount, "20", "20", "... with at least so many outcomes"},
    {"silent", &kDuration, "3s", R"("3s")",
     "Or if it owes answers for this time and gives none, while the others answer; more where answers take long"},
    {"slower", &kTimesSlower, "3", "3",
     "Or if its p95 latency is more than so many times that of the others, in three windows of at least 50 answers"},
    {"time", &kDuration, "5s", R"("5s")",
     "How long it gets no request; the second time twice as long, the third time three times, and so on"},
    {"longest", &kDuration, "5m", R"("5m")", "The longest such time"},
    {"most", &kShareOfServers, "50%", R"("50%")",
     "Maximum share of the servers that may be ejected at the same time, rounded up; never all of them"},
    {"panic_below", &kShareOfServers, "30%", R"("30%")",
     "If a smaller share of the servers may be chosen, because others are unhealthy too, ejected ones come back"},
};
constexpr Section kEject{
    "eject", "upstreams.<name>.eject",
    "When a server gets no requests because it fails: an object, or `\"off\"`. On by default where "
    "an upstream has at least two servers, see [servers.md](servers.md).",
    kEjectKeys};
constexpr Shape kEjectObject = section(kEject);
constexpr std::string_view kEjectWords[] = {"off"};
constexpr Shape kEjectWord = choice(kEjectWords);
constexpr const Shape* kEjectForms[] = {&kEjectObject, &kEjectWord};

constexpr Key kCircuitKeys[] = {
    {"open_at", &kShareOfFailures, "50%", R"("50%")", "It opens if this share of the requests fail ..."},
    {"of_last", &kDuration, "10s", R"("10s")", "... within this time ..."},
    {"at_least", &kOutcomeCount, "20", "20", "... of at least so many"},
    {"try_again", &kDuration, "5s", R"("5s")",
     "How long it stays open; then five requests pass, and it closes if all of them are answered"},
};
constexpr Section kCircuit{
    "circuit", "upstreams.<name>.circuit",
    "A circuit breaker: while most requests to the upstream fail, all are refused at once with 503 "
    "and `Retry-After`.",
    kCircuitKeys};

}  // namespace

constexpr Shape kEjectShape = either("an object or \"off\"", kEjectForms);
constexpr Shape kCircuitShape = section(kCircuit);

}  // namespace headgate::config
