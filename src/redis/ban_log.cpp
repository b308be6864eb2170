#include "headgate/redis/ban_log.hpp"

#include "ban_entry.hpp"
#include "ban_script.hpp"
#include "node_statistics.hpp"
#include "question.hpp"
#include "servers.hpp"
#include "trouble_log.hpp"

#include "headgate/observe/event.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;
using observe::LogLevel;

constexpr Duration kPatience = 1s;
constexpr TroubleEvents kBanLogTrouble{
    .failed = "ban_log_error", .means = "suspensions are not shared with other gateways", .works = "ban_log_works"};
constexpr std::chrono::milliseconds kMinLife = std::chrono::hours(24 * 31);
const Script& script_of_log() noexcept {
  static const Script script{.text = ban_log_script(), .sha = ban_log_script_sha()};
  return script;
}

}  // namespace

/// Shared by the log and its active calls.
struct BanLog::State {
  State(boost::asio::io_context& loop, const Options& options, Duration keeps)
      : servers(Servers::make(loop, patient(options), ReplyReader::Keep::everything)),
        key(options.key_prefix + "v1:{bans}"),
        kept(std::clamp(keeps, Duration(0), kLongest)) {}

  static Options patient(Options options) {
    options.timeout = std::max(options.timeout, kPatience);
    return options;
  }
  static Task<error_code> append(std::shared_ptr<State> state, const limit::Ban& ban);
  static Task<Result<News>> read(std::shared_ptr<State> state, std::string position);
  void skipped(std::uint64_t count, std::string_view id);

  std::shared_ptr<Servers> servers;
  const std::string key;
  const Duration kept;
  std::uint64_t newest = 0;  ///< the highest version that was read or appended
  TroubleLog appends{kBanLogTrouble, "append"};
  TroubleLog reads{kBanLogTrouble, "read"};
  Count unreadable;
};

namespace {

class AppendQuestion final : public Question {
 public:
  AppendQuestion(const limit::Ban& ban, std::string_view key, Duration kept, std::uint64_t newest, TroubleLog& trouble)
      : Question(script_of_log()), ban_(ban), key_(key), kept_(kept), newest_(newest), trouble_(trouble) {}

  void write(std::vector<std::string>& out) const override {
    const Instant now = headgate::now();
    const StreamId least = newest_ == 0 ? StreamId{} : id_above(newest_);
    out.assign({"1", std::string(key_), "append", std::to_string(least.milliseconds), std::to_string(least.number),
                std::to_string(BanLog::kMaxEntries), std::to_string(kept_.count()), std::to_string(kMinLife.count()),
                std::to_string(rest_of(ban_, now).count()), write_entry(ban_, now)});
  }
  Result<bool> read(const Reply& reply) override {
    const auto id = reply.kind == Reply::Kind::text ? read_stream_id(reply.text) : std::nullopt;
    if (!id) return Errc::bad_reply;
    version_ = version_of(*id);
    trouble_.worked();
    return true;
  }
  bool heard(std::string_view trouble) override {
    trouble_.failed(trouble);
    return true;
  }
  std::uint64_t version() const noexcept { return version_; }

 private:
  const limit::Ban& ban_;
  std::string_view key_;
  Duration kept_;
  std::uint64_t newest_;
  TroubleLog& trouble_;
  std::uint64_t version_ = 0;
};

class ReadQuestion final : public Question {
 public:
  ReadQuestion(const LogPosition& from, std::string_view key, TroubleLog& trouble)
      : Question(script_of_log()), from_(from), key_(key), trouble_(trouble) {}

  void write(std::vector<std::string>& out) const override {
    out.assign({"1", std::string(key_), "read", std::to_string(BanLog::kPage), from_.id, from_.digest});
  }
  Result<bool> read(const Reply& reply) override {
    if (!take(reply.elements)) return Errc::bad_reply;
    trouble_.worked();
    return true;
  }
  bool heard(std::string_view trouble) override {
    trouble_.failed(trouble);
    return true;
  }

  limit::BanLog::News news;
  std::uint64_t unreadable = 0;
  std::string first_unreadable;  ///< its id

 private:
  /// The array comes before its elements: Redis TIME, more, beginning, digest, and two for each entry.
  bool take(std::span<const Reply::Element> all) {
    using Kind = Reply::Kind;
    news = {};
    unreadable = 0;
    if (all.size() < 5 || all.size() % 2 != 1 || all.size() > 5 + 2 * BanLog::kPage || all[0].kind != Kind::array ||
        all[1].kind != Kind::integer || all[2].kind != Kind::integer || all[3].kind != Kind::integer ||
        all[4].kind != Kind::text || all[4].text.size() > kMaxDigest)
      return false;
    const TwoClocks clocks{.redis = all[1].integer, .here = headgate::now()};
    if (clocks.redis < 0 || clocks.redis > kMaxTime) return false;
    news.more = all[2].integer != 0;
    LogPosition last = all[3].integer != 0 ? LogPosition{} : from_;
    const auto entries = all.subspan(5);
    if (news.more && entries.empty()) return false;  // else the caller would read again for ever
    for (std::size_t i = 0; i < entries.size(); i += 2)
      if (!take_entry(entries[i], entries[i + 1], clocks)) return false;
    if (!entries.empty()) last = {.id = entries[entries.size() - 2].text, .digest = all[4].text};
    news.position = text_of(last);
    return true;
  }

  bool take_entry(const Reply::Element& name, const Reply::Element& entry, const TwoClocks& clocks) {
    const auto id = read_stream_id(name.text);
    if (!id || entry.kind != Reply::Kind::text) return false;
    if (auto ban = read_entry(entry.text, clocks)) {
      ban->version = version_of(*id);
      news.bans.push_back(std::move(*ban));
    } else if (unreadable++ == 0) {
      first_unreadable = name.text;
    }
    return true;
  }

  static constexpr std::int64_t kMaxTime = std::int64_t{1} << 53;
  static constexpr std::size_t kMaxDigest = 40;

  const LogPosition& from_;
  std::string_view key_;
  TroubleLog& trouble_;
};

}  // namespace

Task<error_code> BanLog::State::append(std::shared_ptr<State> state, const limit::Ban& ban) {
  if (ban.limit.empty() || ban.limit.size() > kMaxName || ban.key.size() > kMaxName)
    co_return make_error_code(boost::system::errc::invalid_argument);
  AppendQuestion question(ban, state->key, state->kept, state->newest, state->appends);
  auto call = state->servers->ask(question, state->key);
  const auto answer = co_await call;
  state->newest = std::max(state->newest, question.version());
  co_return answer.has_error() ? answer.error() : error_code();
}

Task<Result<limit::BanLog::News>> BanLog::State::read(std::shared_ptr<State> state, std::string position) {
  const LogPosition from = read_log_position(position);
  ReadQuestion question(from, state->key, state->reads);
  auto call = state->servers->ask(question, state->key);
  const auto answer = co_await call;
  if (answer.has_error()) co_return Result<News>(boost::system::in_place_error, answer.error());
  for (const auto& ban : question.news.bans) state->newest = std::max(state->newest, ban.version);
  if (question.unreadable > 0) state->skipped(question.unreadable, question.first_unreadable);
  co_return std::move(question.news);
}

/// One line for the first of them.
void BanLog::State::skipped(std::uint64_t count, std::string_view id) {
  if (unreadable.get() == 0)
    observe::event(LogLevel::warning, "ban_log_entry_skipped", "an entry of the log of suspensions cannot be read",
                   {{"key", key}, {"id", id}});
  unreadable.add(count);
}

BanLog::BanLog(boost::asio::io_context& loop, const Options& options, Duration kept)
    : state_(std::make_shared<State>(loop, options, kept)) {}

BanLog::~BanLog() { stop(); }

Task<error_code> BanLog::append(const limit::Ban& ban) { return State::append(state_, ban); }

Task<Result<limit::BanLog::News>> BanLog::read(std::string_view position) {
  return State::read(state_, std::string(position));
}

Health BanLog::health() const noexcept { return state_->servers->health(); }

std::uint64_t BanLog::unreadable() const noexcept { return state_->unreadable.get(); }

void BanLog::stop() { state_->servers->stop(); }

}  // namespace headgate::redis
