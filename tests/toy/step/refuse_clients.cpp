// Refuses requests of the clients that the route names, by their `User-Agent`.

#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include "headgate/gateway/explain.hpp"
#include "headgate/observe/access_fields.hpp"
#include "headgate/observe/families/requests.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Counts the refused requests of each route that refuses clients.
class RefusedClientCounters {
 public:
  static constexpr Step kStep = Step::refuse_clients;

  explicit RefusedClientCounters(const Counting& counting) {
    for (const auto* const route : counting.compiled.serving()) {
      if (!route->takes(kStep)) continue;
      of_routes_.resize(std::max<std::size_t>(of_routes_.size(), route->number + 1));
      of_routes_[route->number] =
          &counting.registry.counter(counting.worker, observe::family::refused_clients, {route->name});
    }
  }

  void count(const Exchange& x) const {
    if (!x.refused_client.empty()) of_routes_[x.route->number]->add();
  }

 private:
  std::vector<observe::Counter*> of_routes_;  ///< by Route::number; null if the route refuses no client
};

}  // namespace

constexpr StepCounts kRefusedClientCounts = counts_in<RefusedClientCounters>();

MaybeProblem refuse_client(Path& /*path*/, Exchange& x) {
  const auto client = http::value_of(x.request.fields, http::Known::user_agent);
  const auto& refused = x.route->options->refuse_clients;
  if (std::ranges::find(refused, client) == refused.end()) return {};
  x.refused_client = client;
  return Problem{
      .status = 403, .ended_by = EndedBy::bad_request, .detail = "This version of the client is not accepted here."};
}

void record_refused_client(const Exchange& x, observe::AccessRecord& record) {
  record.refused_client = x.refused_client;
}

void explain_refused_client(Exchange& x, Explanation& explanation) {
  if (x.refused_client.empty()) return;
  explanation.besides.push_back({"client_is_refused", "its client is refused", std::string(x.refused_client)});
}

}  // namespace headgate::gateway
