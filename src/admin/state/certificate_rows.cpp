#include "headgate/admin/certificate_rows.hpp"

#include "headgate/core/per_enum.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace headgate::admin {
namespace {

/// Time before the end of a certificate at which a warning begins. For short-lived certificates, the warning begins in
/// the last third of their lifetime.
constexpr auto kWarnAhead = std::chrono::hours(21 * 24);

}  // namespace

std::string_view use_text(CertificateUse use) noexcept {
  static constexpr WordsUpTo<CertificateUse::upstream_ca> kWords({"listener", "clients_ca", "upstream", "upstream_ca"});
  return kWords[use];
}

bool Validity::ends_soon(Instant now) const noexcept {
  return until - std::min<Duration>(kWarnAhead, (until - from) / 3) <= now;
}

std::string days_left(Instant until, Instant now) {
  const auto days = std::chrono::floor<std::chrono::days>(until - now).count();
  if (days < 0) return "it has ended, and is refused";
  if (days == 0) return "it ends within a day";
  return "it ends in " + std::to_string(days) + (days == 1 ? " day" : " days");
}

std::vector<CertificateRow> upstream_certificates(const services::ActiveConfig& active, Instant loaded) {
  std::vector<CertificateRow> out;
  // A file that many upstreams share is read only once, because it may have all public authorities.
  std::map<std::pair<CertificateUse, std::string>, std::vector<std::string>> users;
  const auto add = [&](const std::string& upstream, const std::string& file, CertificateUse use, const auto& read) {
    auto& of = users[{use, file}];
    of.push_back(upstream);
    if (file.empty() || of.size() > 1) return;
    for (auto& words : read())
      out.push_back({.file = file, .use = use, .used_by = {}, .words = std::move(words), .loaded = loaded});
  };
  for (std::size_t i = 0; i < active.upstream_tls.size(); ++i) {
    const auto* const context = active.upstream_tls[i].get();
    if (context == nullptr) continue;
    const auto& name = active.config->upstreams[i].name;
    const auto& files = context->options();
    add(name, files.certificate, CertificateUse::upstream, [context] { return net::words_of_own(*context); });
    add(name, files.ca, CertificateUse::upstream_ca, [context] { return net::words_of_authorities(*context); });
  }
  for (auto& row : out) row.used_by = users[{row.use, row.file}];
  return out;
}

std::vector<CertificateRow> joined_rows(std::vector<CertificateRow> rows) {
  std::map<std::tuple<CertificateUse, std::string, std::string, std::string>, std::size_t> known;
  std::vector<CertificateRow> out;
  for (auto& row : rows) {
    const auto [at, is_new] = known.try_emplace({row.use, row.file, row.words.issuer, row.words.serial}, out.size());
    if (is_new) {
      out.push_back(std::move(row));
      continue;
    }
    auto& joined = out[at->second];
    for (auto& user : row.used_by)
      if (std::find(joined.used_by.begin(), joined.used_by.end(), user) == joined.used_by.end())
        joined.used_by.push_back(std::move(user));
    if (joined.refused.empty()) joined.refused = std::move(row.refused);
  }
  return out;
}

std::map<std::string, Validity> validity_of(const std::vector<CertificateRow>& rows) {
  std::map<std::string, Validity> own;
  std::map<std::string, Validity> authorities;
  for (const auto& row : rows) {
    const Validity here{row.words.not_before, row.words.not_after};
    const bool of_authority = row.use == CertificateUse::clients_ca || row.use == CertificateUse::upstream_ca;
    const auto [at, is_new] = (of_authority ? authorities : own).try_emplace(row.file, here);
    if (!is_new && of_authority == (here.until > at->second.until)) at->second = here;
  }
  own.merge(authorities);
  return own;
}

}  // namespace headgate::admin
