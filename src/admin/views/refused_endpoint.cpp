#include "headgate/admin/refused_endpoint.hpp"

#include "request_rows.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

using gateway::RefusedRequest;
using gateway::RefusedRequests;
using RefusedJson = nlohmann::ordered_json;

constexpr std::size_t kUsualRefused = 20;
constexpr std::size_t kMaxRefused = 1000;

enum class Heads : bool { hidden, shown };

RefusedJson json_of_refused(const RefusedRequest& request, Heads heads) {
  RefusedJson out = {
      {"at", moment_text(request.at)}, {"address", request.address}, {"reason", caller_text(request.reason)}};
  if (request.status != 0) out["status"] = request.status;
  if (!request.method.empty()) out["method"] = caller_text(request.method);
  if (!request.host.empty()) out["host"] = caller_text(request.host);
  if (!request.path.empty()) out["path"] = caller_text(request.path);
  if (request.byte) out["byte"] = *request.byte;
  if (heads == Heads::hidden || request.status == 0) return out;
  if (request.byte)
    out["excerpt"] = {{"before", caller_text(request.before)},
                      {"wrong", caller_text(request.wrong)},
                      {"after", caller_text(request.after)}};
  out["head"] = caller_text(request.head);
  out["head_cut"] = request.cut;
  return out;
}

AdminAnswer told_refused(const RefusedBoard& board, const AdminCall& call) {
  const auto most = limit_asked(call, kUsualRefused, kMaxRefused);
  if (!most) return {.status = 400, .body = "\"limit\" is a number from 1 to " + std::to_string(kMaxRefused) + '.'};
  auto rows = board.list();
  if (const auto address = call.asked("address"))
    std::erase_if(rows, [&](const auto& each) { return each.address != *address && each.owner != *address; });
  const auto left_out = rows.size() - std::min(rows.size(), *most);
  rows.resize(rows.size() - left_out);
  const auto heads = call.role == AdminRole::reader ? Heads::hidden : Heads::shown;
  RefusedJson out = {{"left_out", left_out}, {"heads_shown", heads == Heads::shown}};
  out["refused"] = RefusedJson::array();
  for (const auto& each : rows) out["refused"].push_back(json_of_refused(each, heads));
  return {.body = services::text_of(out), .type = AdminAnswer::kJson};
}

}  // namespace

RefusedRequests& RefusedBoard::of(unsigned worker) {
  const std::lock_guard lock(mutex_);
  auto& out = workers_[worker];
  if (!out) out = std::make_unique<RefusedRequests>();
  return *out;
}

std::vector<RefusedRequest> RefusedBoard::list() const {
  std::vector<RefusedRequest> out;
  const std::lock_guard lock(mutex_);
  for (const auto& each : workers_)
    for (auto& request : each.second->list()) out.push_back(std::move(request));
  std::stable_sort(out.begin(), out.end(), [](const auto& one, const auto& other) { return one.at > other.at; });
  return out;
}

AdminEndpoint refused_endpoint(const RefusedBoard& board) {
  return {.method = "GET",
          .path = "/api/v1/refused",
          .answer = [&board](const AdminCall& call) { return told_refused(board, call); },
          .about = {.summary = "The last requests that were refused because they were malformed, too large or too slow",
                    .answer = "Refused",
                    .query = {{"limit", "how many, at most 1000; 20 if it is not there"},
                              {"address", "only those of this address"}}}};
}

}  // namespace headgate::admin
