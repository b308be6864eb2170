#include "headgate/admin/admin_audit.hpp"

#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"

#include <chrono>
#include <string>

namespace headgate::admin {
namespace {

constexpr std::size_t kLongestShown = 256;

std::string target_of(const AdminCall& call, const AdminAnswer& answer) {
  std::string out;
  for (const auto& [name, value] : call.parameters) {
    // The target of the line already has the key, as the limit counts it.
    if (name == "key" && answer.target.starts_with("key=")) continue;
    out += (out.empty() ? "" : " ") + std::string(name) + '=';
    out += name == "key" ? observe::key_id(value) : value.substr(0, kLongestShown);
  }
  if (!answer.target.empty()) out += (out.empty() ? "" : " ") + answer.target;
  return out;
}

}  // namespace

void AdminAudit::changed(const AdminEndpoint& endpoint, const AdminCall& call, const AdminAnswer& answer) {
  const bool done = answer.status < 400;
  const auto what = std::string(endpoint.method) + ' ' + std::string(endpoint.path);
  const auto target = target_of(call, answer);
  observe::event(done ? observe::LogLevel::warning : observe::LogLevel::info, "admin_change",
                 done ? "an operator made a change through the admin interface"
                      : "a change through the admin interface was refused",
                 {{"by", role_text(call.role)},
                  {"address", call.address},
                  {"what", what},
                  target.empty() ? observe::EventField() : observe::EventField("target", target),
                  {"status", answer.status}});
}

void AdminAudit::refused(std::string_view address, std::string_view method, std::string_view path, unsigned status,
                         std::string_view why) {
  if (!gate_.pass(std::chrono::steady_clock::now())) return;
  observe::event(observe::LogLevel::warning, "admin_refused", "a call to the admin interface was refused",
                 {{"address", address},
                  {"method", method.substr(0, kLongestShown)},
                  {"path", path.substr(0, kLongestShown)},
                  {"status", status},
                  {"reason", why},
                  gate_.left_out()});
}

/// Logs an event when an address has used all its tries. An address gets a new try only every six seconds, so these
/// events need no limit for each address.
void AdminAudit::guesses(std::string_view address, std::chrono::seconds wait) {
  observe::event(observe::LogLevel::warning, "admin_token_guesses",
                 "an address sent too many wrong tokens to the admin interface, so its calls are refused for a time",
                 {{"address", address}, {"for", std::to_string(wait.count()) + 's'}});
}

}  // namespace headgate::admin
