#include "headgate/admin/explain_calls.hpp"

#include "headgate/admin/explain_json.hpp"
#include "headgate/services/ban_json.hpp"

#include <boost/asio/post.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace headgate::admin {
namespace {

constexpr std::uint64_t kMaxExplainBody = 256UL * 1024;

AdminAnswer wrong(std::string sentence) { return {.status = 400, .body = std::move(sentence) + "."}; }

/// Adds that no server of the upstream can answer: a request that passes the gateway fails all the same.
void note_dead_upstream(const gateway::Explanation& told, const Reasons& reasons, nlohmann::ordered_json& json) {
  if (told.status != 0 || told.ended_by != "upstream") return;
  auto upstreams = told.drawn;
  if (upstreams.empty()) upstreams.emplace_back(told.upstream, 1);
  const auto dead = [&](const auto& each) { return reasons.has(ReasonKind::no_server, each.first); };
  const auto first = std::find_if(upstreams.begin(), upstreams.end(), dead);
  if (first == upstreams.end()) return;
  auto& outcome = json["outcome"];
  const bool all = std::all_of(upstreams.begin(), upstreams.end(), dead);
  if (all) outcome["passes"] = false;
  auto& fails = outcome[all ? "fails" : "may_fail"];
  for (const auto& reason : reasons.list())
    if (reason.kind == ReasonKind::no_server && reason.subject == first->first)
      fails = {{"upstream", reason.subject}, {"what", sentence_of(reason)}, {"why", reason.words}};
}

}  // namespace

/// Counts one call in under_way_ for as long as this object exists.
class ExplainCalls::UnderWay {
 public:
  explicit UnderWay(ExplainCalls& calls) : calls_(calls) {}
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() {
    const std::lock_guard lock(calls_.mutex_);
    --calls_.under_way_;
  }

 private:
  ExplainCalls& calls_;
};

void ExplainCalls::add(unsigned worker, boost::asio::io_context& loop, Explain explain) {
  const std::lock_guard lock(mutex_);
  workers_[worker] = {&loop, std::move(explain)};
}

void ExplainCalls::remove(unsigned worker) {
  const std::lock_guard lock(mutex_);
  workers_.erase(worker);
}

void ExplainCalls::use(std::shared_ptr<const gateway::CompiledConfig> compiled) {
  const std::lock_guard lock(mutex_);
  compiled_ = std::move(compiled);
}

std::shared_ptr<const gateway::CompiledConfig> ExplainCalls::compiled() const {
  const std::lock_guard lock(mutex_);
  return compiled_;
}

bool ExplainCalls::ask(gateway::ExplainedRequest request, Tell tell) {
  std::shared_ptr<UnderWay> under_way;
  const std::lock_guard lock(mutex_);
  if (workers_.empty() || under_way_ >= kMaxCalls) return false;
  auto at = workers_.upper_bound(next_);
  if (at == workers_.end()) at = workers_.begin();
  next_ = at->first;
  ++under_way_;
  under_way = std::make_shared<UnderWay>(*this);
  // If the worker's loop ends before this task runs, it destroys the task with everything that the task holds, and so
  // counts the call no longer.
  boost::asio::post(*at->second.loop, [this, worker = at->first, request = std::move(request), tell = std::move(tell),
                                       under_way = std::move(under_way)]() mutable {
    spawn(run(worker, std::move(request), std::move(tell), std::move(under_way)), "explain");
  });
  return true;
}

/// Answers the call on the worker's thread, which is also the only thread that removes the worker's entry.
Task<void> ExplainCalls::run(unsigned worker, gateway::ExplainedRequest request, Tell tell,
                             std::shared_ptr<UnderWay> under_way) {
  Explain explain;
  {
    const std::lock_guard lock(mutex_);
    const auto at = workers_.find(worker);
    if (at == workers_.end()) co_return;
    explain = at->second.explain;
  }
  auto explained = explain(std::move(request));
  const auto told = co_await explained;
  under_way.reset();
  tell(told);
}

AdminEndpoint explain_endpoint(ExplainCalls& calls, const Reasons& reasons) {
  return {
      .method = "POST",
      .path = "/api/v1/explain",
      .most_body = kMaxExplainBody,
      .answer_later =
          [&calls, &reasons](const AdminCall& call, const AdminEndpoint::Give& give) {
            auto request = explained_request(call.body);
            if (request.has_error()) return give(wrong(request.error()));
            const auto compiled = calls.compiled();
            auto candidates = compiled && !request->call
                                  ? gateway::considered_routes(*compiled, request->head, request->peer)
                                  : gateway::ConsideredRoutes();
            const auto tell = [give, compiled, candidates, &reasons](const gateway::Explanation& told) mutable {
              if (told.compiled != compiled) candidates = {};  // A reload has replaced the configuration meanwhile.
              gateway::choose(candidates, told.found);
              auto json = to_json(told, candidates);
              note_dead_upstream(told, reasons, json);
              give({.body = services::text_of(json), .type = "application/json"});
            };
            if (!calls.ask(std::move(*request), tell))
              give({.status = 503, .body = "No worker can answer this at the moment."});
          },
      .reads = true,
      .about = {.summary = "What would happen to a request or to a call of the rate limit service, and why; nothing is "
                           "taken for it",
                .body = "ExplainedRequest",
                .answer = "Explanation"}};
}

}  // namespace headgate::admin
