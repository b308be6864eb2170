#include "forget.hpp"

#include "redis/wire/question.hpp"
#include "scripts.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/known_rejections.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace headgate::redis {
namespace {

// Keys per step. A step takes well under a millisecond, so that other calls are hardly delayed.
constexpr std::string_view kKeysOfAStep = "100";
// Pause between attempts. An attempt can fail because Redis has paused, which opens the breaker, or during a failover,
// for which Sentinels and clusters need seconds.
constexpr auto kBetweenAttempts = std::chrono::milliseconds(100);
constexpr auto kPatienceWithServers = std::chrono::seconds(5);
constexpr std::size_t kLongestCursor = 20;
constexpr std::size_t kLongestPlace = 320;

const Script& script_of_forgetting() noexcept {
  static const Script script{.text = forget_limit_script(), .sha = forget_limit_script_sha()};
  return script;
}

const std::string& names_of_algorithms() {
  static const std::string names = [] {
    std::string out(":");
    for (const auto* const each : limit::algorithms()) out.append(each->name).append(1, ':');
    return out;
  }();
  return names;
}

/// Returns whether the failure is temporary, so that the same step may be repeated a little later. It does no harm to
/// examine keys twice.
bool passes_by(error_code why, const std::string& answered) {
  // without an error text, Redis has refused for a temporary reason, for example because it is loading
  if (why == Errc::refused_by_server) return answered.empty();
  return why == Errc::timed_out || why == Errc::unavailable || why == Errc::overloaded;
}

/// Returns the number of connections that were made to the server. If it has changed, the server may have restarted,
/// which invalidates its cursors.
std::uint64_t connects_of(const Servers& servers, const std::string& name) {
  const auto nodes = servers.nodes();
  const auto found = std::ranges::find(nodes, name, &NodeStatus::name);
  return found == nodes.end() ? 0 : found->counters.connects;
}

bool has_part(const Servers& servers, const Servers::Part& part) {
  const auto parts = servers.parts();
  return std::ranges::any_of(parts, [&](const auto& each) { return each.slot == part.slot && each.name == part.name; });
}

bool is_cursor(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kLongestCursor && text.find_first_not_of("0123456789") == text.npos;
}

/// The position of a walk: "<slot>-<cursor>-<server>". A walk visits the parts in the order of their lowest slots. If
/// another server has taken over a part, all keys of that server are examined.
struct Place {
  std::uint16_t slot = 0;
  std::string cursor = "0";
  std::string server;

  std::string text() const { return std::to_string(slot) + '-' + cursor + '-' + server; }
  static std::optional<Place> read(std::string_view text) {
    if (text.size() > kLongestPlace) return std::nullopt;
    const auto first = text.find('-');
    const auto second = first == text.npos ? first : text.find('-', first + 1);
    if (second == text.npos) return std::nullopt;
    Place out{.slot = 0,
              .cursor = std::string(text.substr(first + 1, second - first - 1)),
              .server = std::string(text.substr(second + 1))};
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + first, out.slot);
    if (wrong != std::errc() || end != text.data() + first || !is_cursor(out.cursor)) return std::nullopt;
    return out;
  }
};

class ForgetQuestion final : public ScriptQuestion {
 public:
  ForgetQuestion(const std::string& prefix, const std::string& limit, std::string at)
      : ScriptQuestion(script_of_forgetting()), cursor(std::move(at)), prefix_(prefix), limit_(limit) {}

  void write(std::vector<std::string>& out) const override {
    out.assign({"0", cursor, prefix_ + "v1:{", ':' + limit_, std::string(kKeysOfAStep), names_of_algorithms()});
  }
  Result<bool> read(const Reply& reply) override {
    if (reply.kind != Reply::Kind::array || reply.integers.size() != 3 || !is_cursor(reply.text))
      return Errc::bad_reply;
    for (const auto number : reply.integers)
      if (number < 0) return Errc::bad_reply;
    cursor = reply.text;
    removed = static_cast<std::uint64_t>(reply.integers[0]);
    looked_at = static_cast<std::uint64_t>(reply.integers[1]);
    there = static_cast<std::uint64_t>(reply.integers[2]);
    return true;
  }
  bool heard(std::string_view text) override {
    trouble = "it answered " + std::string(text);
    return true;
  }

  std::string cursor;  ///< cursor after the step
  std::uint64_t removed = 0;
  std::uint64_t looked_at = 0;
  std::uint64_t there = 0;
  std::string trouble;  ///< error text of the server, if any

 private:
  const std::string& prefix_;
  const std::string& limit_;
};

}  // namespace

void ForgetPauses::stop() {
  stopped = true;
  Pauses all;
  all.swap(waiting);
  while (!all.empty()) all.front().cut();
}

Task<Result<ForgetResult>> forget_limit(std::shared_ptr<Servers> servers, std::shared_ptr<ForgetPauses> pauses,
                                        std::string prefix, std::string limit, std::string from,
                                        std::chrono::steady_clock::time_point until) {
  using ForgetAnswer = Result<ForgetResult>;
  auto place = Place::read(from.empty() ? "0-0-" : std::string_view(from));
  if (!place) co_return ForgetAnswer(boost::system::in_place_error, Errc::bad_reply);
  const auto parts = servers->parts();
  if (parts.empty()) co_return ForgetAnswer(boost::system::in_place_error, Errc::unavailable);
  ForgetResult out;
  bool asked = false;
  auto patience = std::chrono::duration_cast<std::chrono::steady_clock::duration>(kPatienceWithServers);
  for (const auto& part : parts) {
    if (part.slot < place->slot) continue;
    const bool goes_on = part.slot == place->slot && part.name == place->server;
    Place here{.slot = part.slot, .cursor = goes_on ? place->cursor : "0", .server = part.name};
    std::uint64_t there = 0;
    auto connects = connects_of(*servers, part.name);
    for (bool silent = false;;) {
      if (!silent && std::exchange(asked, true) && std::chrono::steady_clock::now() >= until) {
        out.more = here.text();
        break;
      }
      if (silent && !has_part(*servers, part)) {  // another server took over, and the next call begins there
        out.more = Place{.slot = part.slot, .cursor = "0", .server = {}}.text();
        break;
      }
      if (silent && std::exchange(connects, connects_of(*servers, part.name)) != connects) here.cursor = "0";
      const auto began = std::chrono::steady_clock::now();
      ForgetQuestion question(prefix, limit, here.cursor);
      auto call = servers->ask_part(question, part);
      if (const auto told = co_await call; told.has_error()) {
        const bool again = passes_by(told.error(), question.trouble) && !part.vacant && !pauses->stopped;
        if (again && patience.count() > 0) {
          Pause pause(pauses->executor, std::chrono::steady_clock::now() + kBetweenAttempts);
          pauses->waiting.push_back(pause);
          co_await pause;
          patience -= std::chrono::steady_clock::now() - began;
          silent = true;
          continue;
        }
        out.not_done.push_back(
            {part.name, question.trouble.empty() ? told.error().message() : std::move(question.trouble)});
        break;
      }
      silent = false;
      here.cursor = std::move(question.cursor);
      out.keys += question.removed;
      out.looked_at += question.looked_at;
      there = question.there;
      if (here.cursor == "0") break;
    }
    out.there += there;
    if (!out.more.empty()) break;
  }
  // For kLongest, gateways may still repeat earlier rejections and decide with permits that they have leased.
  if (out.more.empty() && (out.keys > 0 || !from.empty()) && !pauses->stopped) {
    Pause pause(pauses->executor, std::chrono::steady_clock::now() + limit::KnownRejections::kLongest);
    pauses->waiting.push_back(pause);
    co_await pause;
  }
  co_return out;
}

}  // namespace headgate::redis
