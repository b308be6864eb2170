#include "admin_call.hpp"
#include "admin_print.hpp"
#include "cli/commands.hpp"
#include "cli/printable.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

namespace headgate::cli {
namespace {

/// Maximum number of repetitions of one call, if other calls use all places for walks through Redis, or if Redis does
/// not answer.
constexpr int kMaxAgain = 20;
constexpr auto kBetweenAttempts = std::chrono::milliseconds(500);

bool passes_by(const CommandFailure& failure) {
  const auto problem = Json::parse(failure.text, nullptr, false);
  return problem.is_object() && count_in(problem, "status") == 503;
}

/// Shows the progress on a terminal, in one line that is rewritten again and again.
void show_progress(std::uint64_t keys, std::uint64_t looked_at) {
  if (::isatty(STDERR_FILENO) != 1) return;
  std::fprintf(stderr, "\r%llu keys forgotten, %llu looked at", static_cast<unsigned long long>(keys),
               static_cast<unsigned long long>(looked_at));
}
void end_progress(bool shown) {
  if (shown && ::isatty(STDERR_FILENO) == 1) std::fputs("\r\x1b[K", stderr);
}

}  // namespace

int reset_all(const AdminOptions& options, const std::string& limit) {
  const auto target = "/api/v1/limits/" + in_path(limit) + "/keys";
  std::uint64_t keys = 0;
  std::uint64_t looked_at = 0;
  Json not_done = Json::array();
  Json all;
  int again = 0;
  for (std::string more; all.is_null() || !more.empty();) {
    const auto reply =
        call_gateway(options, {.method = "DELETE", .target = target + (more.empty() ? "" : "?after=" + in_path(more))});
    if (reply.has_error() && !more.empty() && passes_by(reply.error()) && ++again <= kMaxAgain) {
      std::this_thread::sleep_for(kBetweenAttempts);
      continue;
    }
    if (reply.has_error()) {
      end_progress(!more.empty());
      if (options.json && !reply.error().text.empty()) std::fputs(printable_json(reply.error().text).c_str(), stdout);
      if (!more.empty())
        std::fprintf(stderr, "headgate: %llu keys were forgotten before that\n", static_cast<unsigned long long>(keys));
      return complain(reply.error());
    }
    if (!reply->json.is_object())
      return complain({kFailed, "the answer is not JSON", "is this the admin interface of a gateway?"});
    again = 0;
    all = reply->json;
    keys += count_in(all, "keys");
    looked_at += count_in(all, "looked_at");
    for (const auto& each : list_in(all, "not_done")) not_done.push_back(each);
    more = text_in(all, "more");
    if (!more.empty()) show_progress(keys, looked_at);
  }
  end_progress(true);
  const bool in_redis = text_in(all, "store") == "redis";
  if (options.json) {
    all["keys"] = keys;
    if (in_redis) all["looked_at"] = looked_at;
    all.erase("of");
    if (!not_done.empty()) all["not_done"] = not_done;
    std::fputs(printable_json(all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n').c_str(), stdout);
  } else {
    print_line("what " + how_many_of(keys, "key") + " of " + text_in(all, "limit") + " had used is forgotten, " +
               (in_redis ? "for all gateways" : "in this gateway alone"));
  }
  if (not_done.empty()) return kWell;
  std::string who;
  for (const auto& each : not_done)
    who += (who.empty() ? "" : "; ") + text_in(each, "server") + ": " + text_in(each, "why");
  return complain({kFailed, "not all keys were looked at: " + printable(who),
                   "run it again once Redis is well; what is forgotten stays so"});
}

}  // namespace headgate::cli
