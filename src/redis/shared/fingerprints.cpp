#include "headgate/redis/fingerprints.hpp"

#include "redis/servers/servers.hpp"
#include "redis/wire/question.hpp"
#include "scripts.hpp"
#include "trouble_log.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

namespace headgate::redis {
namespace {

constexpr Duration kFingerprintPatience = std::chrono::seconds(1);

const Script& script_of_fingerprints() noexcept {
  static const Script script{.text = limit_fingerprints_script(), .sha = limit_fingerprints_script_sha()};
  return script;
}

/// Writes 32 hexadecimal digits.
std::string hex_of(std::uint64_t high, std::uint64_t low) {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text.data();
}

std::string digest_of(const std::string& text) { return hex_of(stable_hash(text), stable_hash(text + "\n")); }

/// The report of a gateway about itself.
struct Word {
  std::string digest;
  std::string gateway;
  std::string instance;
  std::string text;
};

class FingerprintQuestion final : public ScriptQuestion {
 public:
  enum class What { tell, leave };
  FingerprintQuestion(What what, std::string_view key, const Word& word, TroubleLog& trouble)
      : ScriptQuestion(script_of_fingerprints()), what_(what), key_(key), word_(word), trouble_(trouble) {}

  void write(std::vector<std::string>& out) const override {
    out.assign(
        {"1", std::string(key_), what_ == What::tell ? "tell" : "leave", word_.digest, word_.gateway, word_.instance});
    if (what_ == What::leave) return;
    out.push_back(std::to_string(limit::Fingerprints::kPresent.count()));
    out.push_back(word_.text);
  }

  Result<bool> read(const Reply& reply) override {
    using Kind = Reply::Kind;
    constexpr std::size_t kParts = 3;  // elements of the reply for each limit
    const auto& all = reply.elements;
    if (all.size() < 2 || all[0].kind != Kind::array || all[1].kind != Kind::integer || all[1].integer < 0 ||
        (all.size() - 2) % kParts != 0)
      return Errc::bad_reply;
    told.gateways = static_cast<std::size_t>(all[1].integer);
    for (std::size_t at = 2; at < all.size(); at += kParts) {
      if (all[at].kind != Kind::text || all[at + 1].kind != Kind::integer || all[at + 1].integer < 1 ||
          all[at + 2].kind != Kind::text)
        return Errc::bad_reply;
      told.differ.push_back({.limit = all[at].text,
                             .gateways = static_cast<std::size_t>(all[at + 1].integer),
                             .instance = all[at + 2].text});
    }
    trouble_.worked();
    return true;
  }

  bool heard(std::string_view trouble) override {
    trouble_.failed(trouble);
    return true;
  }

  limit::Fingerprints::Comparison told;  ///< valid after a reply

 private:
  What what_;
  std::string_view key_;
  const Word& word_;
  TroubleLog& trouble_;
};

}  // namespace

/// The state that the fingerprints share with their active calls.
struct RedisFingerprints::State {
  State(boost::asio::io_context& loop, RedisOptions options, std::string gateway)
      : key(options.key_prefix + "v1:{limits}"), name(std::move(gateway)) {
    options.timeout = std::max(options.timeout, kFingerprintPatience);
    servers = Servers::make(loop, options, ReplyReader::Keep::everything);
  }
  static Task<Result<Comparison>> tell(std::shared_ptr<State> state, Word word);
  static Task<error_code> leave(std::shared_ptr<State> state);

  const std::string key;
  const std::string name;
  Word last;  ///< the last report; before the first one, its digest is empty
  TroubleLog trouble{{.failed = "fingerprints_error",
                      .means = "this gateway cannot compare its limits with those of other gateways",
                      .works = "fingerprints_work"},
                     "tell"};
  std::shared_ptr<Servers> servers;
};

Task<Result<limit::Fingerprints::Comparison>> RedisFingerprints::State::tell(std::shared_ptr<State> state, Word word) {
  state->last = word;
  FingerprintQuestion question(FingerprintQuestion::What::tell, state->key, word, state->trouble);
  auto call = state->servers->ask(question, state->key);
  const auto answer = co_await call;
  if (answer.has_error()) co_return Result<Comparison>(boost::system::in_place_error, answer.error());
  co_return std::move(question.told);
}

Task<error_code> RedisFingerprints::State::leave(std::shared_ptr<State> state) {
  const Word word = state->last;
  if (word.digest.empty()) co_return error_code();
  FingerprintQuestion question(FingerprintQuestion::What::leave, state->key, word, state->trouble);
  auto call = state->servers->ask(question, state->key);
  const auto answer = co_await call;
  co_return answer.has_error() ? answer.error() : error_code();
}

RedisFingerprints::RedisFingerprints(boost::asio::io_context& loop, const RedisOptions& options, std::string gateway)
    : state_(std::make_shared<State>(loop, options, std::move(gateway))) {}

RedisFingerprints::~RedisFingerprints() { stop(); }

Task<Result<limit::Fingerprints::Comparison>> RedisFingerprints::tell(std::vector<limit::Fingerprint> own,
                                                                      std::string instance) {
  Word word{.digest = {}, .gateway = state_->name, .instance = std::move(instance), .text = {}};
  for (const auto& each : own) {
    if (word.text.size() + each.limit.size() + each.text.size() + 2 > kMaxText) break;
    word.text.append(each.limit).append(1, ' ').append(each.text).append(1, '\n');
  }
  word.digest = digest_of(word.text);
  return State::tell(state_, std::move(word));
}

Task<error_code> RedisFingerprints::leave() { return State::leave(state_); }

void RedisFingerprints::stop() { state_->servers->stop(); }

}  // namespace headgate::redis
