#include "mirrors.hpp"

#include "forwarding_counters.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/observe/event.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

/// Maximum number of bytes of an answer's body that are read and discarded so that the connection can be reused.
constexpr std::uint64_t kMaxUnseen = 1U << 20;
constexpr unsigned kMaxInterimHeads = 32;
/// The shortest time between two log lines about the same failing upstream.
constexpr std::chrono::minutes kTellAgain{1};
constexpr const char* kLate = "it did not answer in time";

std::string words_of(const upstream::Failure& failure) {
  TextArena text;
  return std::string(reason_of(failure, text));
}

}  // namespace

/// The copy of one request. The copy does not refer to the exchange of the request, because the exchange may end
/// earlier.
struct Mirrors::Copy : Hook {
  Copy(Clock& its_clock, net::LentBytes::Share* counts)
      : clock(its_clock), alarm(clock.alarm(&Copy::rings, this)), lent(counts) {}
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    if (lent != nullptr) lent->add(-static_cast<std::int64_t>(text.capacity()));
  }

  /// Takes over all text of the request. The views of `start` and `body` then refer to `text`.
  void take(const upstream::RequestStart& from, std::string_view bytes) {
    std::size_t size = from.method.size() + from.path.size() + from.query.size() + bytes.size();
    for (const auto& field : *from.fields) size += field.name.size() + field.value.size();
    text.reserve(size);  // the text must not move, because the fields below are views into it
    if (lent != nullptr) lent->add(static_cast<std::int64_t>(text.capacity()));
    fields.reserve(from.fields->size() + 1);
    for (const auto& field : *from.fields)
      // the field may be there already, because a trusted hop sent a request that is itself a copy
      if (!http::same_variable(field.name, kMirrorField))
        fields.push_back({field.id, keep(field.name), keep(field.value)});
    fields.push_back({http::Known::unknown, kMirrorField, "1"});
    start = from;
    start.method = keep(from.method);
    start.path = keep(from.path);
    start.query = keep(from.query);
    start.fields = &fields;
    start.room = &head;
    body = keep(bytes);
    if (from.framing.kind != http::Framing::Kind::none) start.framing = {http::Framing::Kind::length, body.size()};
  }

  void end() {
    over = true;
    if (attempt != nullptr) attempt->cancel();
  }

  static void rings(void* self) {
    auto& copy = *static_cast<Copy*>(self);
    if (copy.waits) return begin(copy);
    copy.end();
  }
  /// Sends the copy. The alarm calls this function for the first time after the worker's current step, in which the
  /// request itself was sent.
  static void begin(Copy& copy) {
    copy.waits = false;
    auto owner = std::move(copy.owner);
    std::unique_ptr<Copy> own(&copy);
    spawn(send(std::move(owner), std::move(own)), "mirror");
  }

  std::shared_ptr<Mirrors> owner;  ///< set until the copy begins
  SnapshotPtr snapshot;
  const Forwarding* forwarding = nullptr;  ///< the `Forwarding` of the route; owned by the snapshot
  Clock& clock;
  std::unique_ptr<Alarm> alarm;
  net::LentBytes::Share* lent;
  std::string text;
  http::Fields fields;
  upstream::RequestStart start;
  std::string_view body;
  TextBuffer head;
  http::ReplyHead answer;
  Duration took{0};                      ///< time to the head of the answer
  upstream::Attempt* attempt = nullptr;  ///< the attempt under way, for cancelling it; null if there is none
  bool waits = true;
  bool over = false;  ///< whether the time limit has passed or the worker ends

 private:
  std::string_view keep(std::string_view piece) {
    const auto at = text.size();
    text += piece;
    return std::string_view(text).substr(at);
  }
};

Mirrors::~Mirrors() = default;

Mirrors::Target& Mirrors::target(std::string_view upstream) {
  const auto found = targets_.find(upstream);
  return found != targets_.end() ? found->second : targets_[std::string(upstream)];
}

void Mirrors::copy(const Exchange& x, const upstream::RequestStart& start, std::string_view body, bool whole) {
  const auto& mirror = *x.route->forwarding->mirror;
  if (stopped_ || !x.request.upgrade.empty() || random_() % kWholeShare >= mirror.share) return;
  const auto at = x.route->forwarding->mirror_upstream;
  const auto& counters = x.snapshot->counters->of<ForwardingCounters>();
  auto& to = target(mirror.to);
  if (to.under_way >= mirror.in_flight) {
    counters.mirrored(at, Mirrored::dropped);
    return failed(to, mirror.to, "too many copies are under way");
  }
  if (!whole || body.size() > mirror.max_body) return counters.mirrored(at, Mirrored::too_large);
  auto made = std::make_unique<Copy>(clock_, lent_);
  made->take(start, body);
  made->owner = shared_from_this();
  made->snapshot = x.snapshot;
  made->forwarding = x.route->forwarding.get();
  ++to.under_way;
  under_way_.push_back(*made);
  made->alarm->set(Duration(0));
  static_cast<void>(made.release());  // the alarm's function owns the copy now
}

Task<void> Mirrors::send(std::shared_ptr<Mirrors> self, std::unique_ptr<Copy> copy) {
  const auto& mirror = *copy->forwarding->mirror;
  auto& to = self->target(mirror.to);
  std::string why;
  if (!copy->over) {
    copy->alarm->set(mirror.timeout);
    why = co_await exchange(*copy);
  }
  --to.under_way;
  if (self->stopped_) co_return;
  const bool answered = why.empty();
  copy->snapshot->counters->of<ForwardingCounters>().mirrored(copy->forwarding->mirror_upstream,
                                                              answered ? Mirrored::answered : Mirrored::failed);
  if (!answered) self->failed(to, mirror.to, copy->over ? kLate : why);
}

Task<std::string> Mirrors::exchange(Copy& copy) {
  auto& to = *copy.snapshot->upstreams[copy.forwarding->mirror_upstream];
  balance::Choice choice;
  auto server = to.take_idle(choice);
  if (!server) {
    auto connected = co_await to.connect(choice);
    if (connected.has_error()) co_return words_of(connected.error());
    server = std::move(*connected);
  }
  if (copy.over) co_return kLate;
  copy.attempt = server.get();
  auto why = co_await ask(copy, *server);
  copy.attempt = nullptr;
  if (why.empty())
    to.note(*server, balance::AttemptOutcome::answered, copy.took);
  else if (!copy.over)
    to.note(*server, balance::AttemptOutcome::broken, Duration(-1));
  if (why.empty() && server->body().ended()) to.give_back(std::move(server));
  co_return why;
}

Task<std::string> Mirrors::ask(Copy& copy, upstream::Attempt& server) {
  const auto timeout = copy.forwarding->mirror->timeout;
  const auto sent_at = copy.clock.steady();
  copy.start.write_timeout = copy.start.between_bytes = timeout;
  const auto sent = co_await server.send(copy.start, copy.body, http::EndStream::yes);
  if (sent.has_error()) co_return sent.error().message();
  for (unsigned interim = 0; copy.answer.status < 200; ++interim) {
    if (interim > kMaxInterimHeads) co_return "it keeps sending interim answers";
    const auto head = co_await server.read_head(copy.answer, timeout);
    if (head.has_error()) co_return words_of(head.error());
    if (copy.answer.status == 101) co_return "it switches protocols";
  }
  copy.took = std::chrono::duration_cast<Duration>(copy.clock.steady() - sent_at);
  auto& body = server.body();
  for (std::uint64_t unseen = 0; !body.ended() && unseen < kMaxUnseen;) {
    const auto bytes = co_await body.read();
    if (bytes.has_error()) co_return bytes.error().message();
    unseen += bytes->size();
  }
  co_return std::string();
}

void Mirrors::failed(Target& target, std::string_view upstream, std::string_view why) {
  const auto now = clock_.steady();
  if (target.told != Clock::Steady() && now - target.told < kTellAgain) return;
  target.told = now;
  observe::event(observe::LogLevel::warning, "mirror_failed", "copies of requests do not reach the upstream",
                 {{"upstream", upstream}, {"reason", why}});
}

void Mirrors::stop() {
  stopped_ = true;
  while (!under_way_.empty()) {
    auto& copy = static_cast<Copy&>(under_way_.front());
    copy.unlink();
    if (copy.waits)
      delete &copy;  // nothing else refers to it
    else
      copy.end();
  }
}

}  // namespace headgate::gateway
