#include "certificates.hpp"

#include "headgate/net/tls/certificate.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/families/callers.hpp"

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
constexpr auto kWarnAgain = std::chrono::hours(24);

std::string random_secret() {
  std::string out(32, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size())) != 1)
    throw std::runtime_error("OpenSSL could not make random numbers for the keys of session tickets");
  return out;
}

}  // namespace

Certificates::Certificates(Clock& clock, observe::Registry& registry, Give give)
    : registry_(registry),
      clock_(clock),
      alarm_(clock.alarm(
          [](void* self) {
            static_cast<Certificates*>(self)->look_at_all();
            static_cast<Certificates*>(self)->wait();
          },
          this)),
      random_secret_(random_secret()),
      give_(std::move(give)) {}

Certificates::Listener Certificates::listener_of(std::size_t number, const net::ListenOptions& listen) const {
  Listener out{.number = number,
               .text = listen.text,
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
    texts.pairs[i].staple = listener.staples.choose(i, texts.pairs[i].certificate, clock_.wall());
  return make_(listener.options, texts);
}

void Certificates::note_rows(Listener& listener) const {
  const auto before = std::move(listener.rows);
  const auto now = clock_.wall();
  listener.rows.clear();
  const auto add = [&](admin::CertificateUse use, const std::string& file, net::CertificateWords words) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const admin::CertificateRow& row) {
      return row.use == use && row.file == file && row.words.issuer == words.issuer && row.words.serial == words.serial;
    });
    listener.rows.push_back({.file = file,
                             .use = use,
                             .used_by = {listener.text},
                             .words = std::move(words),
                             .loaded = known == before.end() ? now : known->loaded});
  };
  const auto texts = texts_of(listener);
  for (std::size_t i = 0; i < texts.pairs.size(); ++i) {
    auto chain = net::words_of_pem(texts.pairs[i].certificate);
    if (!chain.empty())
      add(admin::CertificateUse::listener, listener.options.certificates[i].certificate, std::move(chain.front()));
  }
  for (auto& words : net::words_of_pem(texts.client_ca))
    add(admin::CertificateUse::clients_ca, listener.options.client_ca, std::move(words));
}

void Certificates::note_expiry() {
  auto all = admin::validity_of(rows());
  const std::lock_guard lock(mutex_);
  validity_ = std::move(all);
}

void Certificates::adopt(const std::shared_ptr<const services::ActiveConfig>& active) {
  auto rows = admin::upstream_certificates(*active, clock_.wall());
  for (auto& row : rows)
    for (const auto& known : others_)
      if (known.use == row.use && known.file == row.file && known.words.serial == row.words.serial)
        row.loaded = known.loaded;
  others_ = std::move(rows);
  note_expiry();
  if (others_.empty()) return;
  if (applied_ == nullptr) show();
  if (runs_) watch();
}

std::vector<admin::CertificateRow> Certificates::rows() const {
  std::vector<admin::CertificateRow> out;
  const auto now = clock_.wall();
  for (const auto& listener : listeners_) {
    std::size_t number = 0;
    for (auto row : listener.rows) {
      row.refused = listener.refused;
      if (row.use == admin::CertificateUse::listener)
        listener.staples.describe(number++, now, row.ocsp, row.ocsp_until);
      out.push_back(std::move(row));
    }
  }
  out.insert(out.end(), others_.begin(), others_.end());
  return admin::joined_rows(std::move(out));
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
    listener.staples.outcome();  // the first read is not a change
    if (made.has_error()) return {boost::system::in_place_error, Failure{i, std::move(made.error())}};
    next.tls[i] = std::move(*made);
  }
  return next;
}

void Certificates::use(Next next) {
  for (auto& listener : next.listeners) {
    for (const auto& before : listeners_)
      if (before.text == listener.text) listener.rows = before.rows;
    note_rows(listener);
  }
  listeners_ = std::move(next.listeners);
  note_expiry();
  note_staples();
  if (listeners_.empty()) return;
  if (applied_ == nullptr) show();
  if (runs_) watch();
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

void Certificates::start() {
  runs_ = true;
  if (!listeners_.empty() || !others_.empty()) watch();
}

void Certificates::watch() {
  warn_of_expiry();
  if (!std::exchange(waiting_, true)) wait();
}

void Certificates::stop() {
  runs_ = false;
  alarm_.reset();
}

void Certificates::wait() {
  if (runs_) alarm_->set(kLook);
}

/// Checks the files of all listeners. A certificate and its key are two files, so a change is used only when the next
/// check finds no further change.
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
      listener.refused.clear();
      note_rows(listener);
      note_expiry();
      observe::event(LogLevel::info, "certificate_read", "new connections get the certificate",
                     {{"file", listener.options.certificates.front().certificate},
                      {"certificates", listener.options.certificates.size()}});
    } else {
      listener.refused = made.error();
      observe::event(LogLevel::error, "certificate_refused", "the previous certificates stay in use",
                     {{"file", listener.options.certificates.front().certificate}, {"reason", made.error()}});
    }
  }
  note_staples();
  warn_of_expiry();
}

void Certificates::warn_of_expiry() {
  const auto now = clock_.wall();
  for (auto& listener : listeners_) listener.staples.warn(now);
  const std::lock_guard lock(mutex_);
  for (const auto& [file, validity] : validity_) {
    if (!validity.ends_soon(now)) continue;
    auto& warned = warned_[file];
    if (warned.until == validity.until && now - warned.at < kWarnAgain) continue;
    warned = {validity.until, now};
    observe::event(LogLevel::warning, "certificate_expires", admin::days_left(validity.until, now), {{"file", file}});
  }
}

std::vector<std::pair<std::string, std::string>> Certificates::ending() const {
  std::vector<std::pair<std::string, std::string>> out;
  const auto now = clock_.wall();
  const std::lock_guard lock(mutex_);
  for (const auto& [file, validity] : validity_)
    if (validity.ends_soon(now)) out.emplace_back(file, admin::days_left(validity.until, now));
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
