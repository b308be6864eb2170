#include "headgate/redis/notice_marks.hpp"

#include "redis/servers/servers.hpp"
#include "redis/wire/question.hpp"
#include "scripts.hpp"

#include "headgate/core/random.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::redis {
namespace {

using MarkAnswer = limit::NoticeMarks::Answer;

constexpr Duration kMarkPatience = std::chrono::seconds(1);
constexpr std::string_view kTold = "told";

const Script& script_of_marks() noexcept {
  static const Script script{.text = notice_mark_script(), .sha = notice_mark_script_sha()};
  return script;
}

class MarkQuestion final : public ScriptQuestion {
 public:
  MarkQuestion(std::string_view what, std::string_view key, std::string_view value, Duration length)
      : ScriptQuestion(script_of_marks()),
        what_(what),
        key_(key),
        value_(value),
        length_(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(length), std::chrono::milliseconds(1))) {
  }

  void write(std::vector<std::string>& out) const override {
    out.assign({"1", std::string(key_), std::string(what_), std::string(value_), std::to_string(length_.count())});
  }
  Result<bool> read(const Reply& reply) override {
    if (!reply.all_integers || reply.integers.size() != 1 || reply.integers[0] < 0 ||
        reply.integers[0] > static_cast<int>(MarkAnswer::told))
      return Errc::bad_reply;
    answer = static_cast<MarkAnswer>(reply.integers[0]);
    return true;
  }

  MarkAnswer answer = MarkAnswer::ours;  ///< valid after a reply

 private:
  std::string_view what_;
  std::string_view key_;
  std::string_view value_;
  std::chrono::milliseconds length_;
};

}  // namespace

/// The state that the marks share with their active calls.
struct RedisNoticeMarks::State {
  State(boost::asio::io_context& loop, RedisOptions options)
      : prefix(options.key_prefix + "v1:notice:{"), name(random_name()) {
    options.timeout = std::max(options.timeout, kMarkPatience);
    servers = Servers::make(loop, options);
  }
  static Task<Result<MarkAnswer>> take(std::shared_ptr<State> state, std::string id, Duration length);
  static Task<error_code> set(std::shared_ptr<State> state, std::string id, std::string value, Duration length);

  const std::string prefix;
  const std::string name;
  std::shared_ptr<Servers> servers;
};

Task<Result<MarkAnswer>> RedisNoticeMarks::State::take(std::shared_ptr<State> state, std::string id, Duration length) {
  const auto key = state->prefix + id + '}';
  MarkQuestion question("take", key, state->name, length);
  auto call = state->servers->ask(question, key);
  const auto answer = co_await call;
  if (answer.has_error()) co_return Result<MarkAnswer>(boost::system::in_place_error, answer.error());
  co_return question.answer;
}

Task<error_code> RedisNoticeMarks::State::set(std::shared_ptr<State> state, std::string id, std::string value,
                                              Duration length) {
  const auto key = state->prefix + id + '}';
  MarkQuestion question("set", key, value, length);
  auto call = state->servers->ask(question, key);
  const auto answer = co_await call;
  co_return answer.has_error() ? answer.error() : error_code();
}

RedisNoticeMarks::RedisNoticeMarks(boost::asio::io_context& loop, const RedisOptions& options)
    : state_(std::make_shared<State>(loop, options)) {}

RedisNoticeMarks::~RedisNoticeMarks() { stop(); }

Task<Result<MarkAnswer>> RedisNoticeMarks::take(std::string id, Duration length) {
  return State::take(state_, std::move(id), length);
}

Task<error_code> RedisNoticeMarks::hold(std::string id, Duration length) {
  return State::set(state_, std::move(id), state_->name, length);
}

Task<error_code> RedisNoticeMarks::told(std::string id, Duration length) {
  return State::set(state_, std::move(id), std::string(kTold), length);
}

void RedisNoticeMarks::stop() { state_->servers->stop(); }

}  // namespace headgate::redis
