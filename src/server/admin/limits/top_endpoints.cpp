// The admin endpoints that tell who is limited.

#include "server/services/top_service.hpp"

#include "headgate/http/named_values.hpp"

#include <charconv>
#include <utility>

namespace headgate::server {
namespace {

constexpr std::size_t kMaxKeys = observe::HeavyKeys::kCounters;

/// Null: fine; else what is wrong with the query.
const char* read_question(std::string_view query, TopQuestion& question) {
  const auto by = http::query_parameter(query, "by").value;
  if (by == "allowed")
    question.by = TopBy::allowed;
  else if (!by.empty() && by != "rejected")
    return "\"by\" is rejected or allowed.";
  const auto window = http::query_parameter(query, "window").value;
  if (window == "1h")
    question.window = TopWindow::hour;
  else if (!window.empty() && window != "1m")
    return "\"window\" is 1m or 1h.";
  const auto n = http::query_parameter(query, "n").value;
  if (n.empty()) return nullptr;
  const auto* const end = n.data() + n.size();
  const auto [stop, error] = std::from_chars(n.data(), end, question.most);
  if (error != std::errc{} || stop != end || question.most == 0 || question.most > kMaxKeys)
    return "\"n\" is a number from 1 to 128.";
  return nullptr;
}
static_assert(kMaxKeys == 128, "as the sentence says");

void answer_top(TopService& service, const AdminCall& call, const AdminEndpoint::Give& give) {
  TopQuestion question;
  if (const auto* const wrong = read_question(call.query, question)) return give({.status = 400, .body = wrong});
  if (const auto name = call.parameter("name"); !name.empty()) question.limit = name;
  service.ask(question, give);
}

}  // namespace

std::vector<AdminEndpoint> top_endpoints(std::shared_ptr<TopService> service) {
  const auto answer_later = [service = std::move(service)](const AdminCall& call, const AdminEndpoint::Give& give) {
    answer_top(*service, call, give);
  };
  const std::vector<AdminAbout::Parameter> query = {{"by", "rejected, which is meant if it is not there, or allowed"},
                                                    {"window", "1m, which is meant if it is not there, or 1h"},
                                                    {"n", "how many keys, at most 128; 20 if it is not there"}};
  return {{.method = "GET",
           .path = "/api/v1/top",
           .answer_later = answer_later,
           .about = {.summary = "The heaviest keys of all limits", .answer = "Tops", .query = query}},
          {.method = "GET",
           .path = "/api/v1/limits/{name}/top",
           .answer_later = answer_later,
           .about = {.summary = "The heaviest keys of a limit", .answer = "Top", .query = query}}};
}

}  // namespace headgate::server
