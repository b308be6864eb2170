#include "headgate/redis/ledger.hpp"

#include "redis/servers/servers.hpp"
#include "redis/wire/question.hpp"
#include "scripts.hpp"
#include "trouble_log.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

namespace headgate::redis {
namespace {

using limit::Use;
using Buckets = std::vector<limit::LedgerBucket>;

constexpr Duration kLedgerPatience = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kLedgerLeast = std::chrono::hours(1);
TroubleEvents trouble_of_ledger() {
  return {.failed = "ledger_error",
          .means = "use that is to be billed cannot be added up in Redis",
          .works = "ledger_works"};
}

const Script& script_of_ledger() noexcept {
  static const Script script{.text = ledger_script(), .sha = ledger_script_sha()};
  return script;
}

void append_two_digits(std::string& out, unsigned number, unsigned base) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += kDigits[number / base];
  out += kDigits[number % base];
}

/// Returns the key of the gateways of a lane. The key of a bucket is this key with ":" and two digits. All of these
/// keys are in one slot.
std::string lane_key(std::string_view prefix, limit::Day day, unsigned lane) {
  std::string out(prefix);
  out += "v1:{usage:";
  out += day_text(day);
  out += ':';
  append_two_digits(out, lane, 10);
  out += '}';
  return out;
}

std::string bucket_key(const std::string& of_lane, unsigned bucket) {
  auto out = of_lane + ':';
  append_two_digits(out, bucket % limit::kBucketsOfLane, 16);
  return out;
}

/// Parses "1234 56".
bool read_use(std::string_view text, Use& out) noexcept {
  const auto* const end = text.data() + text.size();
  const auto [space, bad] = std::from_chars(text.data(), end, out.used);
  if (bad != std::errc() || space == end || *space != ' ') return false;
  const auto [stop, worse] = std::from_chars(space + 1, end, out.requests);
  return worse == std::errc() && stop == end;
}

class AddQuestion final : public ScriptQuestion {
 public:
  AddQuestion(const limit::LedgerBatch& batch, const std::string& key, std::string_view sender, Duration kept,
              TroubleLog& trouble)
      : ScriptQuestion(script_of_ledger()),
        batch_(batch),
        key_(key),
        sender_(sender),
        kept_(std::max(std::chrono::ceil<std::chrono::milliseconds>(kept), kLedgerLeast)),
        trouble_(trouble) {
    for (const auto& each : batch.uses) by_bucket_[limit::bucket_of(each.first)].push_back(&each);
  }

  void write(std::vector<std::string>& out) const override {
    out.assign({std::to_string(by_bucket_.size() + 1), key_});
    for (const auto& [bucket, uses] : by_bucket_) out.push_back(bucket_key(key_, bucket));
    for (auto text : {std::string("add"), std::string(sender_), std::to_string(batch_.number),
                      std::to_string(kept_.count()), std::to_string(RedisLedger::kMaxFields)})
      out.push_back(std::move(text));
    for (const auto& [bucket, uses] : by_bucket_) {
      out.push_back(std::to_string(uses.size()));
      for (const auto* each : uses) {
        out.push_back(each->first);
        out.push_back(std::to_string(each->second.used));
        out.push_back(std::to_string(each->second.requests));
      }
    }
  }
  Result<bool> read(const Reply& reply) override {
    const auto& numbers = reply.integers;
    if (!reply.all_integers || numbers.size() != 3 || std::ranges::any_of(numbers, [](auto each) { return each < 0; }))
      return Errc::bad_reply;
    lost = {static_cast<std::uint64_t>(numbers[1]), static_cast<std::uint64_t>(numbers[2])};
    trouble_.worked();
    return true;
  }
  bool heard(std::string_view trouble) override {
    trouble_.failed(trouble);
    return true;
  }

  Use lost;

 private:
  const limit::LedgerBatch& batch_;
  const std::string& key_;
  std::string_view sender_;
  std::chrono::milliseconds kept_;
  TroubleLog& trouble_;
  std::map<unsigned, std::vector<const std::pair<std::string, Use>*>> by_bucket_;
};

class BucketsQuestion final : public ScriptQuestion {
 public:
  BucketsQuestion(const std::string& key, unsigned first, std::size_t most, TroubleLog& trouble)
      : ScriptQuestion(script_of_ledger()), key_(key), first_(first), most_(most), trouble_(trouble) {}

  void write(std::vector<std::string>& out) const override {
    out.assign({std::to_string(end() - first_)});
    for (unsigned bucket = first_; bucket < end(); ++bucket) out.push_back(bucket_key(key_, bucket));
    out.emplace_back("read");
    out.push_back(std::to_string(most_));
  }
  Result<bool> read(const Reply& reply) override {
    buckets.clear();
    if (reply.kind != Reply::Kind::array || !take(reply.elements)) return Errc::bad_reply;
    trouble_.worked();
    return true;
  }
  bool heard(std::string_view trouble) override {
    trouble_.failed(trouble);
    return true;
  }

  Buckets buckets;

 private:
  unsigned end() const noexcept { return (limit::lane_of(first_) + 1) * limit::kBucketsOfLane; }

  /// Reads the reply, in which an array comes before its elements: the array of buckets, and in it each bucket with its
  /// fields and values.
  bool take(std::span<const Reply::Element> all) {
    if (all.empty() || all[0].integer < 1 || all[0].integer > static_cast<std::int64_t>(end() - first_)) return false;
    const auto count = static_cast<unsigned>(all[0].integer);
    std::size_t at = 1;
    for (unsigned i = 0; i < count; ++i) {
      if (at >= all.size() || all[at].kind != Reply::Kind::array || all[at].integer < 0) return false;
      const auto texts = static_cast<std::size_t>(all[at++].integer);
      if (texts % 2 != 0 || texts > all.size() - at) return false;
      auto& bucket = buckets.emplace_back(limit::LedgerBucket{.number = first_ + i, .uses = {}});
      for (const auto end = at + texts; at < end; at += 2) {
        Use use;
        // Texts that no gateway has written are skipped.
        if (all[at].kind == Reply::Kind::text && read_use(all[at + 1].text, use) &&
            limit::read_ledger_field(all[at].text))
          bucket.uses.emplace_back(all[at].text, use);
      }
      std::ranges::sort(bucket.uses, {}, &std::pair<std::string, Use>::first);
    }
    return at == all.size();
  }

  const std::string& key_;
  unsigned first_;
  std::size_t most_;
  TroubleLog& trouble_;
};

}  // namespace

/// The state that the ledger shares with its active calls.
struct RedisLedger::State {
  State(boost::asio::io_context& loop, RedisOptions options, std::string name)
      : prefix(options.key_prefix), sender(std::move(name)) {
    options.timeout = std::max(options.timeout, kLedgerPatience);
    servers = Servers::make(loop, options, ReplyReader::Keep::everything);
  }
  static Task<Result<Use>> add(std::shared_ptr<State> state, const limit::LedgerBatch& batch, Duration kept);
  static Task<Result<Buckets>> read(std::shared_ptr<State> state, limit::Day day, unsigned bucket, std::size_t most);

  const std::string prefix;
  const std::string sender;
  std::shared_ptr<Servers> servers;
  TroubleLog adds{trouble_of_ledger(), "add"};
  TroubleLog reads{trouble_of_ledger(), "read"};
};

Task<Result<Use>> RedisLedger::State::add(std::shared_ptr<State> state, const limit::LedgerBatch& batch,
                                          Duration kept) {
  const auto key = lane_key(state->prefix, batch.day, batch.lane);
  AddQuestion question(batch, key, state->sender, kept, state->adds);
  auto call = state->servers->ask(question, key);
  const auto answer = co_await call;
  if (answer.has_error()) co_return Result<Use>(boost::system::in_place_error, answer.error());
  co_return question.lost;
}

Task<Result<Buckets>> RedisLedger::State::read(std::shared_ptr<State> state, limit::Day day, unsigned bucket,
                                               std::size_t most) {
  const auto key = lane_key(state->prefix, day, limit::lane_of(bucket));
  BucketsQuestion question(key, bucket, most, state->reads);
  auto call = state->servers->ask(question, key);
  const auto answer = co_await call;
  if (answer.has_error()) co_return Result<Buckets>(boost::system::in_place_error, answer.error());
  co_return std::move(question.buckets);
}

RedisLedger::RedisLedger(boost::asio::io_context& loop, const RedisOptions& options, std::string sender)
    : state_(std::make_shared<State>(loop, options, std::move(sender))) {}

RedisLedger::~RedisLedger() { stop(); }

Task<Result<Use>> RedisLedger::add(const limit::LedgerBatch& batch, Duration kept) {
  return State::add(state_, batch, kept);
}

Task<Result<Buckets>> RedisLedger::read(limit::Day day, unsigned bucket, std::size_t most) {
  return State::read(state_, day, bucket, most);
}

RedisHealth RedisLedger::health() const noexcept { return state_->servers->health(); }

void RedisLedger::stop() { state_->servers->stop(); }

}  // namespace headgate::redis
