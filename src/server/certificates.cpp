#include "certificates.hpp"

#include "headgate/net/certificate.hpp"
#include "headgate/observe/event.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace headgate::server {
namespace {

using observe::LogLevel;
using Made = Result<ListenerTls, std::string>;

constexpr auto kLook = std::chrono::seconds(1);
constexpr std::size_t kLargestFile = 1024UL * 1024;
/// A warning comes so long before the end, and each day; with certificates of few days, in the last third.
constexpr auto kWarnAhead = std::chrono::hours(21 * 24);
constexpr auto kWarnAgain = std::chrono::hours(24);

std::string random_secret() {
  std::string out(32, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size())) != 1)
    throw std::runtime_error("OpenSSL has no random numbers");
  return out;
}

std::string days_left(Instant until, Instant now) {
  const auto days = std::chrono::floor<std::chrono::days>(until - now).count();
  if (days < 0) return "it has ended, and clients refuse it";
  if (days == 0) return "it ends within a day";
  return "it ends in " + std::to_string(days) + (days == 1 ? " day" : " days");
}

}  // namespace

Certificates::Certificates(boost::asio::io_context& loop, observe::Registry& registry)
    : registry_(registry), timer_(loop), random_secret_(random_secret()) {}

Certificates::Listener Certificates::listener_of(std::size_t number, const net::ListenOptions& listen) const {
  Listener out{.number = number,
               .options = *listen.tls,
               .files = {},
               .contents = {},
               .staples = Staples(listen.tls->certificates),
               .trouble = {}};
  if (out.options.ticket_secret.empty()) out.options.ticket_secret = random_secret_;
  const auto add = [&](const std::string& path) { out.files.emplace_back(path, kLargestFile); };
  for (const auto& each : out.options.certificates) {
    add(each.certificate);
    add(each.key);
  }
  if (!out.options.client_ca.empty()) add(out.options.client_ca);
  out.contents.resize(out.files.size());
  return out;
}

bool Certificates::look(Listener& listener) {
  bool changed = listener.staples.look();
  for (std::size_t i = 0; i < listener.files.size(); ++i) {
    const auto text = listener.files[i].look();
    if (!text) continue;
    changed = listener.renewed = true;
    listener.contents[i] = text->has_value() ? **text : std::string();
    if (text->has_error()) listener.trouble = text->error();
  }
  const bool whole = std::none_of(listener.contents.begin(), listener.contents.end(),
                                  [](const std::string& content) { return content.empty(); });
  if (whole) listener.trouble.clear();
  return changed;
}

net::ServerTlsTexts Certificates::texts_of(const Listener& listener) {
  net::ServerTlsTexts out;
  for (std::size_t i = 0; i < listener.options.certificates.size(); ++i)
    out.pairs.push_back({listener.contents[2 * i], listener.contents[2 * i + 1]});
  if (!listener.options.client_ca.empty()) out.client_ca = listener.contents.back();
  return out;
}

Made Certificates::make(Listener& listener) const {
  if (!listener.trouble.empty()) return Made(boost::system::in_place_error, listener.trouble);
  auto texts = texts_of(listener);
  for (std::size_t i = 0; i < texts.pairs.size(); ++i)
    texts.pairs[i].staple = listener.staples.choose(i, texts.pairs[i].certificate);
  return make_(listener.options, texts);
}

void Certificates::note_expiry(const Listener& listener) {
  const auto texts = texts_of(listener);
  for (std::size_t i = 0; i < texts.pairs.size(); ++i) {
    const auto facts = net::read_certificate(texts.pairs[i].certificate, texts.pairs[i].key);
    if (facts.has_error()) continue;
    const std::lock_guard lock(mutex_);
    validity_[listener.options.certificates[i].certificate] = {facts->not_before, facts->not_after, {}};
  }
}

void Certificates::note_staples() {
  std::map<std::string, Instant> all;
  for (const auto& listener : listeners_) listener.staples.add_expiry(all);
  const std::lock_guard lock(mutex_);
  staple_validity_ = std::move(all);
}

Result<Certificates::Next, Certificates::Failure> Certificates::prepare(const std::vector<net::ListenOptions>& listen,
                                                                        Make make) {
  make_ = std::move(make);
  Next next;
  next.tls.resize(listen.size());
  for (std::size_t i = 0; i < listen.size(); ++i) {
    if (!listen[i].tls) continue;
    auto& listener = next.listeners.emplace_back(listener_of(i, listen[i]));
    for (const auto& before : listeners_) listener.staples.take_over(before.staples);
    look(listener);
    auto made = this->make(listener);
    listener.renewed = false;
    listener.staples.outcome();  // not a change
    if (made.has_error()) return {boost::system::in_place_error, Failure{i, std::move(made.error())}};
    next.tls[i] = std::move(*made);
  }
  return next;
}

void Certificates::use(Next next) {
  listeners_ = std::move(next.listeners);
  {
    const std::lock_guard lock(mutex_);
    validity_.clear();
  }
  note_staples();
  if (listeners_.empty()) return;
  for (const auto& listener : listeners_) note_expiry(listener);
  if (applied_ == nullptr) show();
  if (give_) watch();
}

void Certificates::show() {
  applied_ = &registry_.counter(observe::kMainThread, observe::family::certificate_reads, {"applied"});
  refused_ = &registry_.counter(observe::kMainThread, observe::family::certificate_reads, {"refused"});
  registry_.collect([this](observe::Scrape& scrape) {
    for (const auto& [file, until] : expiry())
      scrape.value(observe::family::certificate_expiry, {file},
                   std::chrono::duration<double>(until.time_since_epoch()).count());
    for (const auto& [file, until] : staple_expiry())
      scrape.value(observe::family::ocsp_expiry, {file},
                   std::chrono::duration<double>(until.time_since_epoch()).count());
  });
}

void Certificates::start(Give give) {
  give_ = std::move(give);
  if (!listeners_.empty()) watch();
}

void Certificates::watch() {
  warn_of_expiry();
  if (!std::exchange(waiting_, true)) wait();
}

void Certificates::stop() {
  give_ = nullptr;
  timer_.cancel();
}

void Certificates::wait() {
  timer_.expires_after(kLook);
  timer_.async_wait([this](const error_code& ec) {
    if (ec || !give_) return;
    look_at_all();
    wait();
  });
}

/// A certificate and its key are two files: what has changed is used when a look sees no further change.
void Certificates::look_at_all() {
  for (auto& listener : listeners_) {
    const bool changed = look(listener);
    if (!std::exchange(listener.changed, changed) || changed) continue;
    auto made = make(listener);
    const auto staples = listener.staples.outcome();
    refused_->add(staples.refused);
    if (!std::exchange(listener.renewed, false) && !staples.changed) continue;
    (made.has_value() ? applied_ : refused_)->add();
    if (made.has_value()) {
      give_(listener.number, std::move(*made));
      note_expiry(listener);
      observe::event(LogLevel::info, "certificate_read", "new connections get it",
                     {{"file", listener.options.certificates.front().certificate},
                      {"certificates", listener.options.certificates.size()}});
    } else {
      observe::event(LogLevel::error, "certificate_refused", "the certificates in use stay in use",
                     {{"file", listener.options.certificates.front().certificate}, {"reason", made.error()}});
    }
  }
  note_staples();
  warn_of_expiry();
}

void Certificates::warn_of_expiry() {
  const auto now = headgate::now();
  for (auto& listener : listeners_) listener.staples.warn(now);
  const std::lock_guard lock(mutex_);
  for (auto& [file, validity] : validity_) {
    if (!validity.ends_soon(now) || now - validity.warned < kWarnAgain) continue;
    validity.warned = now;
    observe::event(LogLevel::warning, "certificate_expires", days_left(validity.until, now), {{"file", file}});
  }
}

bool Certificates::Validity::ends_soon(Instant now) const noexcept {
  return until - std::min<Duration>(kWarnAhead, (until - from) / 3) <= now;
}

std::vector<std::pair<std::string, std::string>> Certificates::ending() const {
  std::vector<std::pair<std::string, std::string>> out;
  const auto now = headgate::now();
  const std::lock_guard lock(mutex_);
  for (const auto& [file, validity] : validity_)
    if (validity.ends_soon(now)) out.emplace_back(file, days_left(validity.until, now));
  return out;
}

std::map<std::string, Instant> Certificates::expiry() const {
  std::map<std::string, Instant> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [file, validity] : validity_) out.emplace(file, validity.until);
  return out;
}

std::map<std::string, Instant> Certificates::staple_expiry() const {
  const std::lock_guard lock(mutex_);
  return staple_validity_;
}

}  // namespace headgate::server
