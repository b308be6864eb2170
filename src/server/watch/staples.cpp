#include "staples.hpp"

#include "headgate/observe/event.hpp"

#include <algorithm>
#include <utility>

namespace headgate::server {
namespace {

/// The maximum size of a response in bytes. Real responses have a few hundred bytes, or a few thousand with the
/// certificates of their signer.
constexpr std::size_t kLargestResponse = 64UL * 1024;

const net::Staple kNoStaple;

/// Returns the reason why a new response does not replace the one in use; "" if it does.
std::string not_better(const Result<net::Staple, net::StapleFault>& read, bool replaces, Instant now) {
  if (read.has_error()) return read.error().why;
  if (!replaces || read->fresh(now)) return {};
  return read->until <= now ? "has expired" : "is not valid yet";
}

}  // namespace

Staples::Staples(const std::vector<net::CertificateFiles>& certificates) {
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    if (certificates[i].ocsp.empty()) continue;
    all_.push_back({.number = i, .file = keyring::WatchedFile(certificates[i].ocsp, kLargestResponse)});
  }
}

void Staples::take_over(const Staples& from) {
  for (auto& one : all_) {
    for (const auto& other : from.all_)
      if (other.file.path() == one.file.path() && one.used.response.empty()) one.used = other.used;
  }
}

bool Staples::look() {
  bool changed = false;
  for (auto& one : all_) {
    auto text = one.file.look();
    if (!text) continue;
    changed = true;
    one.told.clear();
    one.trouble = text->has_error() ? text->error() : std::string();
    one.text = text->has_value() ? std::move(**text) : std::string();
  }
  return changed;
}

const net::Staple& Staples::choose(std::size_t number, const std::string& chain, Instant now) {
  const auto found = std::lower_bound(all_.begin(), all_.end(), number,
                                      [](const One& one, std::size_t wanted) { return one.number < wanted; });
  if (found == all_.end() || found->number != number) return kNoStaple;
  auto& one = *found;
  // The certificate may have changed as well, so the response in use may no longer belong to it.
  const bool fits = !one.used.response.empty() && net::read_staple(one.used.response, chain).has_value();
  if (!fits && !one.used.response.empty()) {
    one.used = {};
    outcome_.changed = true;
  }
  if (!one.trouble.empty()) {
    refuse(one, one.trouble);
    return one.used;
  }
  auto read = net::read_staple(one.text, chain);
  if (auto why = not_better(read, one.used.fresh(now), now); !why.empty()) {
    refuse(one, one.file.path() + ": " + why);
    return one.used;
  }
  one.told.clear();
  if (one.used == *read) return one.used;
  one.used = std::move(*read);
  outcome_.changed = true;
  one.warned = false;
  return one.used;
}

void Staples::refuse(One& one, std::string why) {
  if (one.told == why) return;
  one.told = std::move(why);
  ++outcome_.refused;
  observe::event(observe::LogLevel::error, "ocsp_refused",
                 one.used.response.empty() ? "the certificate is sent without an OCSP response"
                                           : "the previous OCSP response is sent until it expires",
                 {{"file", one.file.path()}, {"reason", one.told}});
}

void Staples::warn(Instant now) {
  for (auto& one : all_) {
    const bool stale = !one.used.response.empty() && !one.used.fresh(now);
    if (std::exchange(one.warned, stale) || !stale) continue;
    const bool ended = one.used.until <= now;
    observe::event(observe::LogLevel::warning, "ocsp_stale",
                   ended ? "the OCSP response has expired, so it is no longer sent"
                         : "the OCSP response is not valid yet, so it is not sent",
                   {{"file", one.file.path()}});
  }
}

void Staples::describe(std::size_t number, Instant now, std::string& state, Instant& until) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const One& one) { return one.number == number; });
  if (found == all_.end()) return;
  until = found->used.until;
  if (found->used.response.empty())
    state = "refused";
  else if (!found->used.fresh(now))
    state = "stale";
  else
    state = found->used.revoked ? "revoked" : "good";
}

void Staples::add_expiry(std::map<std::string, Instant>& out) const {
  for (const auto& one : all_)
    if (!one.used.response.empty()) out[one.file.path()] = one.used.until;
}

}  // namespace headgate::server
