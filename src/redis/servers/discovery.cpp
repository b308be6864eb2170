#include "discovery.hpp"

#include "headgate/core/result.hpp"
#include "headgate/redis/command.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kAnswerLimit = 500ms;  // including the time to connect; afterwards the next candidate is queried
constexpr auto kHurry = 100ms;        // interval between two queries while there is trouble

}  // namespace

Discovery::Discovery(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, Question question,
                     std::string who)
    : tells_(setup->tells),
      executor_(loop.get_executor()),
      question_(std::move(question)),
      link_(std::make_shared<Link>(loop, std::move(setup))),
      timer_(executor_),
      log_(std::move(who)) {}

void Discovery::start(std::vector<RedisNode> candidates, std::shared_ptr<DiscoveryOwner> owner) {
  owner_ = std::move(owner);
  candidates_ = std::move(candidates);
  look();
}

void Discovery::stop() {
  stopped_ = true;
  timer_.cancel();
  link_->close();
  owner_.reset();
}

void Discovery::candidates(std::vector<RedisNode> now) {
  const auto first = std::find(now.begin(), now.end(), candidates_.front());
  if (first != now.end()) {
    std::rotate(now.begin(), first, first + 1);
  } else if (std::exchange(open_, false)) {
    link_->close();
  }
  candidates_ = std::move(now);
}

void Discovery::check(const RedisNode& who) {
  const auto at = std::find(candidates_.begin(), candidates_.end(), who);
  if (stopped_ || at == candidates_.end()) return;
  open_ = false;  // the answer to a query under way may be out of date
  link_->close();
  std::rotate(candidates_.begin(), at, at + 1);
  in_vain_ = false;
  look();
}

void Discovery::well(bool now) {
  if (std::exchange(well_, now) == now || stopped_) return;
  in_vain_ = false;
  if (!now && !looking_) ask_in(kHurry - std::min<SteadyClock::duration>(kHurry, SteadyClock::now() - looked_at_));
}

void Discovery::doubt() {
  if (stopped_ || looking_) return;
  ask_in(kHurry - std::min<SteadyClock::duration>(kHurry, SteadyClock::now() - looked_at_));
}

void Discovery::ask_in(SteadyClock::duration time) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && !self->stopped_) self->look();
  });
}

void Discovery::look() {
  looking_ = true;
  looked_at_ = SteadyClock::now();
  tried_ = 0;
  if (!well_ && std::exchange(in_vain_, false)) to_the_end_of_the_line();
  ask_first();
}

void Discovery::to_the_end_of_the_line() {
  open_ = false;
  link_->close();
  std::rotate(candidates_.begin(), candidates_.begin() + 1, candidates_.end());
}

void Discovery::ask_first() {
  timer_.expires_after(kAnswerLimit);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && !self->stopped_ && self->looking_) self->failed("it did not answer within 500ms");
  });
  if (open_) return say();
  link_->open(candidates_.front(), shared_from_this());
}

void Discovery::opened() {
  open_ = true;
  unanswered_ = 0;
  reader_.reset();
  std::string words;
  if (!question_.username.empty()) {
    append_command(words, std::array<std::string_view, 3>{"AUTH", question_.username, question_.password});
  } else if (!question_.password.empty()) {
    append_command(words, std::array<std::string_view, 2>{"AUTH", question_.password});
  }
  if (!words.empty()) {
    ++unanswered_;
    link_->write(words);
  }
  if (open_) say();
}

void Discovery::say() {
  const std::vector<std::string_view> words(question_.words.begin(), question_.words.end());
  std::string bytes;
  append_command(bytes, words);
  ++unanswered_;
  link_->write(bytes);
}

void Discovery::received(std::string_view bytes) {
  const auto self = shared_from_this();
  reader_.feed(bytes);
  for (Reply reply; open_;) {
    const auto next = reader_.next(reply);
    if (next == ReplyReader::Next::more) return;
    if (next == ReplyReader::Next::broken || unanswered_ == 0)
      return link_->give_up("it does not speak the protocol of Redis");
    take(reply);
  }
}

void Discovery::closed(const std::string& reason) {
  open_ = false;
  if (looking_ && !stopped_) failed(reason);
}

void Discovery::take(const Reply& reply) {
  const bool of_auth = --unanswered_ > 0;
  if (of_auth && reply.kind == Reply::Kind::error) return failed("it refused the username or password");
  if (of_auth) return;
  if (reply.kind == Reply::Kind::error) return failed("it answered " + std::string(reply.text));
  link_->keep();
  const auto owner = owner_;
  if (!owner->found(reply, RedisNode(candidates_.front())))
    return stopped_ ? void() : failed("it does not know the server to use");
  if (stopped_) return;
  if (tells_) log_.note(RedisHealth::up, {}, SteadyClock::now());
  in_vain_ = true;
  rest();
}

void Discovery::failed(const std::string& reason) {
  const std::string why = name_of(candidates_.front()) + ": " + reason;
  to_the_end_of_the_line();
  if (++tried_ < candidates_.size()) return ask_first();
  if (tells_) log_.note(RedisHealth::down, why, SteadyClock::now());
  in_vain_ = false;
  const auto owner = owner_;
  owner->nobody(why);
  if (!stopped_) rest();
}

void Discovery::rest() {
  looking_ = false;
  ask_in(well_ ? question_.calm : SteadyClock::duration(kHurry));
}

}  // namespace headgate::redis
