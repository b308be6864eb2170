#include "h2_pool.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace headgate::upstream {
namespace {

namespace asio_error = boost::asio::error;

/// Whoever waits for a connection counts as an attempt in flight with its server: one that lets everybody wait must not
/// look idle.
class WaitsForLink {
 public:
  explicit WaitsForLink(balance::Server& server) noexcept : server_(server) { balance::add_in_flight(server_, 1); }
  WaitsForLink(const WaitsForLink&) = delete;
  WaitsForLink& operator=(const WaitsForLink&) = delete;
  ~WaitsForLink() { balance::add_in_flight(server_, -1); }

 private:
  balance::Server& server_;
};

}  // namespace

H2Pool::H2Pool(Environment environment, const ServerGroupOptions& options, std::size_t at, const TlsUse& tls,
               balance::ServerPtr row)
    : environment_(environment),
      upstream_(options.name),
      name_(options.servers[at].text),
      row_(std::move(row)),
      tls_(tls),
      session_(tls.context ? std::make_shared<net::TlsSession>() : nullptr),
      handshakes_(tls_, environment.clock, upstream_, name_),
      connector_(environment.loop, environment.timers, options.servers[at].host, options.servers[at].port) {
  use(options);
}

/// Its attempts are gone: what is left of their connections are frames that nobody waits for.
H2Pool::~H2Pool() {
  stop();
  const auto links = links_;
  for (const auto& link : links) link->lose(asio_error::operation_aborted);
}

void H2Pool::use(const ServerGroupOptions& options) noexcept {
  connect_timeout_ = options.connect_timeout;
  idle_timeout_ = options.idle_timeout;
  lifetime_ = options.connection_lifetime;
  head_bytes_ = options.head_bytes;
}

CountedAttemptPtr H2Pool::attempt_on(const H2LinkPtr& link, std::size_t at) {
  CountedAttemptPtr attempt(new H2Attempt(link, link->used()));
  attempt->lend(at);
  return attempt;
}

/// The first that has room: the others become idle, and are closed.
CountedAttemptPtr H2Pool::take_idle(std::size_t at) noexcept {
  for (const auto& link : links_)
    if (link->has_room()) return attempt_on(link, at);
  return nullptr;
}

Task<Result<CountedAttemptPtr, Failure>> H2Pool::connect(std::size_t at) {
  const WaitsForLink waits(*row_);
  const auto until = environment_.clock.steady() + connect_timeout_;
  while (dialling_) {
    const auto dialling = dialling_;
    net::Wake ready(environment_.timers);
    dialling->waiting.push_back(&ready);
    const auto left = std::chrono::duration_cast<Duration>(until - environment_.clock.steady());
    const error_code woken = co_await ready.wait(std::max(left, Duration(1)));
    std::erase(dialling->waiting, &ready);
    if (dialling->failed) co_return *dialling->failed;
    if (woken.failed()) co_return Failure{.what = Failed::connect_timeout, .cause = woken, .server = name_};
    if (auto attempt = take_idle(at)) co_return attempt;
  }
  if (auto attempt = take_idle(at)) co_return attempt;
  const auto dialling = std::make_shared<Dialling>();
  dialling_ = dialling;
  auto made = co_await dial();
  dialling_.reset();
  CountedAttemptPtr attempt;
  if (made.has_value())
    attempt = attempt_on(*made, at);
  else
    dialling->failed = made.error();
  for (auto* const each : std::exchange(dialling->waiting, {})) each->wake();
  if (!attempt) co_return made.error();
  co_return attempt;
}

Task<Result<H2LinkPtr, Failure>> H2Pool::dial() {
  const net::ConnectOptions terms{.whole = connect_timeout_, .tls = tls_.context, .session = session_, .in_turn = true};
  auto connected = co_await connector_.connect(terms);
  if (taken_down()) co_return Failure{.what = Failed::no_connection, .why = kTakenDown, .server = name_};
  if (connected.has_error()) co_return handshakes_.failed(connected.error());
  if (tls_.context && connected->stream->transport().protocol() != "h2") co_return handshakes_.no_http2();
  handshakes_.connected(connected->resumed);
  H2LinkPtr link(new H2Link(*this, std::move(connected->stream), connected->to, end_of_life()));
  links_.push_back(link);
  if (!link->begin())
    co_return Failure{
        .what = Failed::no_connection, .cause = make_error_code(asio_error::connection_reset), .server = name_};
  if (stopped_) link->retire();
  co_return link;
}

/// Up to a tenth earlier than it may be, so that connections that began together do not all end together.
Clock::Steady H2Pool::end_of_life() {
  if (lifetime_ == Duration(0)) return {};
  const auto tenth = static_cast<std::uint64_t>(lifetime_.count() / 10);
  return environment_.clock.steady() + lifetime_ -
         Duration(static_cast<Duration::rep>(environment_.random() % (tenth + 1)));
}

bool H2Pool::leads_there(const H2Link& link) const noexcept {
  return addresses_.empty() || std::find(addresses_.begin(), addresses_.end(), link.to()) != addresses_.end();
}

void H2Pool::lead_to(const std::vector<net::Tcp::endpoint>& addresses) {
  if (addresses.empty()) return;
  addresses_ = addresses;
  connector_.use(addresses);
  const auto links = links_;  // one that ends leaves the list
  for (const auto& link : links)
    if (!leads_there(*link)) link->retire();
}

/// Its connection is kept whatever becomes of it.
void H2Pool::give_back(CountedAttemptPtr attempt) { attempt->take_back(); }

void H2Pool::break_off() {
  connector_.end_calls();
  const auto links = links_;
  for (const auto& link : links) link->lose(asio_error::operation_aborted, true);
}

void H2Pool::stop() {
  stopped_ = true;
  connector_.stop();
  const auto links = links_;
  for (const auto& link : links) link->retire();
}

void H2Pool::forget(H2Link& link) {
  std::erase_if(links_, [&link](const auto& each) { return each.get() == &link; });
}

Dial h2_dialler(Environment environment, TlsUse tls) {
  return [environment, tls = std::move(tls)](const ServerGroupOptions& options, std::size_t at,
                                             const balance::ServerPtr& row) {
    return std::make_shared<H2Pool>(environment, options, at, tls, row);
  };
}

}  // namespace headgate::upstream
