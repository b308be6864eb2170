#pragma once
// Asks a worker what it would do with a request. The worker uses the same snapshot, memory and Redis as for real
// requests.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/reasons.hpp"
#include "headgate/core/task.hpp"
#include "headgate/gateway/explain.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace headgate::admin {

/// The calls to the workers. Any thread, unless stated otherwise.
class ExplainCalls {
 public:
  using Explain = std::function<Task<gateway::Explanation>(gateway::ExplainedRequest)>;
  using Tell = std::function<void(const gateway::Explanation&)>;

  /// Lets `explain` run on `loop`, the loop of that worker, until remove(). Call add() and remove() on the worker's
  /// thread, or before the worker runs.
  void add(unsigned worker, boost::asio::io_context& loop, Explain explain);
  void remove(unsigned worker);
  /// Sets the configuration that the workers use from now on.
  void use(std::shared_ptr<const gateway::CompiledConfig> compiled);
  std::shared_ptr<const gateway::CompiledConfig> compiled() const;

  /// Asks the workers in turn. `tell` is called on the worker's thread, or dropped if that thread ends first. Returns
  /// false if there is no worker, or if too many calls are in progress.
  bool ask(gateway::ExplainedRequest request, Tell tell);

 private:
  /// Maximum number of calls in progress, because each takes memory and calls Redis.
  static constexpr std::size_t kMaxCalls = 16;

  struct Explainer {
    boost::asio::io_context* loop = nullptr;
    Explain explain;
  };
  class UnderWay;
  Task<void> run(unsigned worker, gateway::ExplainedRequest request, Tell tell, std::shared_ptr<UnderWay> under_way);

  mutable std::mutex mutex_;
  std::shared_ptr<const gateway::CompiledConfig> compiled_;
  std::map<unsigned, Explainer> workers_;
  unsigned next_ = 0;
  std::size_t under_way_ = 0;
};

/// Returns the endpoint POST /api/v1/explain. `calls` and `reasons` must outlive it.
AdminEndpoint explain_endpoint(ExplainCalls& calls, const Reasons& reasons);

}  // namespace headgate::admin
