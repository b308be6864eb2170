#include "switches.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/redis/command.hpp"
#include "headgate/redis/reply.hpp"

#include <boost/asio/basic_waitable_timer.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kChannel = "+switch-master";
constexpr auto kOpenAgain = 1s;
constexpr auto kSubscribeAgain = 10s;  // a repetition is harmless on a working connection, and detects a broken one
constexpr auto kRefusedPause = 60s;

}  // namespace

/// The subscription at one Sentinel.
class Switches::Ear final : public LinkUser, public std::enable_shared_from_this<Ear> {
 public:
  Ear(Switches& all, RedisNode sentinel)
      : all_(all.shared_from_this()),
        sentinel_(std::move(sentinel)),
        link_(std::make_shared<Link>(all.loop_, all.setup_)),
        timer_(all.loop_.get_executor()) {}

  void open() {
    heard_ = false;
    link_->open(sentinel_, shared_from_this());
  }

  void stop() {
    stopped_ = true;
    timer_.cancel();
    link_->close();
    all_.reset();
  }

 private:
  using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>,
                                                  boost::asio::io_context::executor_type>;

  void opened() override {
    reader_.reset();
    const auto& options = all_->setup_->options;
    std::string words;
    if (!options.sentinel_username.empty())
      append_command(words,
                     std::array<std::string_view, 3>{"AUTH", options.sentinel_username, options.sentinel_password});
    else if (!options.sentinel_password.empty())
      append_command(words, std::array<std::string_view, 2>{"AUTH", options.sentinel_password});
    if (!words.empty()) link_->write(words);
    subscribe();
  }

  void subscribe() {
    heard_ = false;
    std::string words;
    append_command(words, std::array<std::string_view, 2>{"SUBSCRIBE", kChannel});
    after(kSubscribeAgain, [this] {
      if (heard_) return subscribe();
      link_->close();
      open();
    });
    link_->write(words);
  }

  void received(std::string_view bytes) override {
    const auto self = shared_from_this();
    reader_.feed(bytes);
    for (Reply reply; !stopped_;) {
      const auto next = reader_.next(reply);
      if (next == ReplyReader::Next::more) return;
      if (next == ReplyReader::Next::broken) return link_->give_up("it does not speak the protocol of Redis");
      if (reply.kind == Reply::Kind::error) return refused(std::string(reply.text));
      take(reply);
    }
  }

  /// Parses ["message", channel, "<name> <old host> <old port> <new host> <new port>"]. Any other reply only shows that
  /// the Sentinel answers.
  void take(const Reply& reply) {
    heard_ = true;
    link_->keep();
    if (reply.elements.size() != 4 || reply.elements[1].text != "message") return;
    if (reply.elements[3].text.starts_with(all_->setup_->options.master + ' ')) all_->on_switch_(sentinel_);
  }

  void refused(const std::string& why) {
    if (all_->refusals_.pass(SteadyClock::now()))
      observe::event(observe::LogLevel::info, "redis_switches_untold", {},
                     {{"server", name_of(sentinel_)}, {"reason", std::string_view(why).substr(0, why.find(' '))}});
    link_->close();
    after(kRefusedPause, [this] { open(); });
  }

  void wrote() override {}
  void closed(const std::string&) override {
    if (!stopped_) after(kOpenAgain, [this] { open(); });
  }

  template <class Handler>
  void after(SteadyClock::duration time, Handler handler) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this(), handler](error_code ec) {
      if (!ec && !self->stopped_) handler();
    });
  }

  std::shared_ptr<Switches> all_;
  const RedisNode sentinel_;
  std::shared_ptr<Link> link_;
  ReplyReader reader_{ReplyReader::Keep::everything};
  Timer timer_;
  bool heard_ = false;
  bool stopped_ = false;
};

Switches::Switches(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup)
    : loop_(loop), setup_(std::move(setup)) {}

void Switches::start(std::span<const RedisNode> sentinels, OnSwitch on_switch) {
  on_switch_ = std::move(on_switch);
  for (const auto& sentinel : sentinels) ears_.push_back(std::make_shared<Ear>(*this, sentinel));
  for (const auto& ear : ears_) ear->open();
}

void Switches::stop() {
  const auto self = shared_from_this();
  for (const auto& ear : std::exchange(ears_, {})) ear->stop();
  on_switch_ = nullptr;
}

}  // namespace headgate::redis
