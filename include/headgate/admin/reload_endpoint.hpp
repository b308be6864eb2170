#pragma once
// The admin endpoint that reloads the configuration.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/reload_result.hpp"

#include <boost/asio/io_context.hpp>

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace headgate::admin {

/// Passes calls from the admin thread to the main thread, while that thread takes calls. Any thread.
class ReloadCalls {
 public:
  using Tell = std::function<void(const ReloadResult& result)>;
  using Reload = std::function<void(ReloadFrom from, Tell tell)>;
  /// `reload` runs on the loop.
  ReloadCalls(boost::asio::io_context& loop, Reload reload) : loop_(loop), reload_(std::move(reload)) {}

  /// Returns false if no more calls are taken.
  bool ask(ReloadFrom from, Tell tell);
  /// Takes no more calls, because the loop is about to end.
  void close();

 private:
  std::mutex mutex_;
  bool closed_ = false;
  boost::asio::io_context& loop_;
  const Reload reload_;
};

/// Returns the answer that describes a reload.
AdminAnswer reload_answer(const ReloadResult& result);
/// Returns the mistakes and warnings of a reload, each with its place.
nlohmann::ordered_json mistakes_json(const ReloadResult& result);

/// Returns a 422 with the mistakes of a file.
AdminAnswer mistakes_answer(const ReloadResult& result, const std::string& detail);

/// Returns the endpoint POST /api/v1/reload.
AdminEndpoint reload_endpoint(std::shared_ptr<ReloadCalls> calls);

}  // namespace headgate::admin
