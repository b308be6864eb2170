#include "headgate/redis/shared_log.hpp"

#include "log_question.hpp"
#include "redis/servers/servers.hpp"
#include "redis/wire/node_statistics.hpp"

#include "headgate/core/random.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/limit/override.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPatience = 1s;

TroubleEvents trouble_of(const LogKind& kind) {
  return {.failed = std::string(kind.event) + "_error",
          .means = std::string(kind.what) + " are not shared with other gateways",
          .works = std::string(kind.event) + "_works"};
}
TroubleEvents hearing_trouble_of(const LogKind& kind) {
  auto out = trouble_of(kind);
  out.means = "the number of gateways that know about " + std::string(kind.what) + " is unknown";
  return out;
}

}  // namespace

// The name of the field of suspensions must stay, because older versions write and read it.
const LogKind kBans{.name = "bans",
                    .field = "ban",
                    .event = "ban_log",
                    .what = "suspensions",
                    .readable = [](const limit::LogEntry& entry) { return limit::read_ban(entry).has_value(); }};
const LogKind kOverrides{
    .name = "overrides",
    .field = "override",
    .event = "override_log",
    .what = "overrides",
    .readable = [](const limit::LogEntry& entry) { return limit::read_override(entry).has_value(); }};

/// The state that the log shares with its active calls.
struct RedisSharedLog::State {
  State(boost::asio::io_context& loop, const RedisOptions& options, const LogKind& of, Duration keeps)
      : kind(of),
        servers(Servers::make(loop, patient(options), ReplyReader::Keep::everything)),
        key(options.key_prefix + "v1:{" + std::string(of.name) + "}"),
        gateways(key + ":gateways"),
        kept(std::clamp(keeps, Duration(0), kLongest)) {}

  static RedisOptions patient(RedisOptions options) {
    options.timeout = std::max(options.timeout, kPatience);
    return options;
  }
  static Task<Result<std::uint64_t>> append(std::shared_ptr<State> state, const limit::LogEntry& entry);
  static Task<Result<News>> read(std::shared_ptr<State> state, std::string position);
  static Task<Result<limit::Acknowledgements>> hear(std::shared_ptr<State> state, std::string position,
                                                    std::uint64_t version);
  static Task<error_code> leave(std::shared_ptr<State> state);
  void skipped(std::uint64_t count, std::string_view id);

  const LogKind& kind;
  std::shared_ptr<Servers> servers;
  const std::string key;
  const std::string gateways;
  const std::string name = random_name();
  const Duration kept;
  std::uint64_t newest = 0;  ///< the highest version that was read or appended
  TroubleLog appends{trouble_of(kind), "append"};
  TroubleLog reads{trouble_of(kind), "read"};
  TroubleLog hears{hearing_trouble_of(kind), "hear"};
  Count unreadable;
};

Task<Result<std::uint64_t>> RedisSharedLog::State::append(std::shared_ptr<State> state, const limit::LogEntry& entry) {
  using Appended = Result<std::uint64_t>;
  if (!state->kind.readable(entry))
    co_return Appended(boost::system::in_place_error, make_error_code(boost::system::errc::invalid_argument));
  AppendQuestion question(state->kind, state->key, state->appends, entry, state->kept, state->newest);
  auto call = state->servers->ask(question, state->key);
  const auto answer = co_await call;
  state->newest = std::max(state->newest, question.version);
  if (answer.has_error()) co_return Appended(boost::system::in_place_error, answer.error());
  co_return Appended(boost::system::in_place_value, question.version);
}

Task<Result<limit::SharedLog::News>> RedisSharedLog::State::read(std::shared_ptr<State> state, std::string position) {
  const LogPosition from = read_log_position(position);
  ReadQuestion question(state->kind, state->key, state->reads, from);
  auto call = state->servers->ask(question, state->key);
  const auto answer = co_await call;
  if (answer.has_error()) co_return Result<News>(boost::system::in_place_error, answer.error());
  for (const auto& entry : question.news.entries) state->newest = std::max(state->newest, entry.version);
  if (question.unreadable > 0) state->skipped(question.unreadable, question.first_unreadable);
  co_return std::move(question.news);
}

Task<Result<limit::Acknowledgements>> RedisSharedLog::State::hear(std::shared_ptr<State> state, std::string position,
                                                                  std::uint64_t version) {
  const LogPosition here = read_log_position(position);
  HearQuestion question(state->kind, state->gateways, state->hears, state->name, here, version);
  auto call = state->servers->ask(question, state->gateways);
  const auto answer = co_await call;
  if (answer.has_error()) co_return Result<limit::Acknowledgements>(boost::system::in_place_error, answer.error());
  co_return question.told;
}

Task<error_code> RedisSharedLog::State::leave(std::shared_ptr<State> state) {
  LeaveQuestion question(state->kind, state->gateways, state->hears, state->name);
  auto call = state->servers->ask(question, state->gateways);
  const auto answer = co_await call;
  co_return answer.has_error() ? answer.error() : error_code();
}

/// Logs one line for `count` entries that were skipped; `id` is the first of them.
void RedisSharedLog::State::skipped(std::uint64_t count, std::string_view id) {
  if (unreadable.get() == 0)
    observe::event(observe::LogLevel::warning, std::string(kind.event) + "_entry_skipped",
                   "an entry of the shared log of " + std::string(kind.what) + " cannot be read and is skipped",
                   {{"key", key}, {"id", id}});
  unreadable.add(count);
}

RedisSharedLog::RedisSharedLog(boost::asio::io_context& loop, const RedisOptions& options, const LogKind& kind,
                               Duration kept)
    : state_(std::make_shared<State>(loop, options, kind, kept)) {}

RedisSharedLog::~RedisSharedLog() { stop(); }

Task<Result<std::uint64_t>> RedisSharedLog::append(const limit::LogEntry& entry) {
  return State::append(state_, entry);
}

Task<Result<limit::SharedLog::News>> RedisSharedLog::read(std::string_view position) {
  return State::read(state_, std::string(position));
}

Task<Result<limit::Acknowledgements>> RedisSharedLog::hear(std::string_view position, std::uint64_t version) {
  return State::hear(state_, std::string(position), version);
}

Task<error_code> RedisSharedLog::leave() { return State::leave(state_); }

RedisHealth RedisSharedLog::health() const noexcept { return state_->servers->health(); }

std::uint64_t RedisSharedLog::unreadable() const noexcept { return state_->unreadable.get(); }

void RedisSharedLog::stop() { state_->servers->stop(); }

}  // namespace headgate::redis
