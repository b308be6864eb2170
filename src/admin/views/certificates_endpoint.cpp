#include "admin/endpoint_groups.hpp"

#include "headgate/admin/reasons.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace headgate::admin {
namespace {

using CertificateJson = nlohmann::ordered_json;

CertificateJson json_of(const CertificateRow& row, const Validity& of_file, Instant now) {
  const auto& words = row.words;
  const auto days = std::chrono::floor<std::chrono::days>(words.not_after - now).count();
  CertificateJson out = {{"file", row.file},
                         {"use", use_text(row.use)},
                         {"used_by", row.used_by},
                         {"subject", words.subject},
                         {"issuer", words.issuer},
                         {"serial", words.serial},
                         {"names", words.names},
                         {"not_before", moment_text(words.not_before)},
                         {"not_after", moment_text(words.not_after)},
                         {"days_left", static_cast<std::int64_t>(days)},
                         {"loaded", moment_text(row.loaded)}};
  if (!row.ocsp.empty()) out["ocsp"] = row.ocsp;
  if (row.ocsp_until != Instant()) out["ocsp_until"] = moment_text(row.ocsp_until);
  if (!row.refused.empty()) out["refused"] = row.refused;
  if (of_file.until == words.not_after && of_file.ends_soon(now))
    out["ending"] =
        sentence_of({ReasonKind::certificate_ends, row.file, {}, {}}) + ": " + days_left(words.not_after, now);
  return out;
}

AdminAnswer answer_of(const std::vector<CertificateRow>& rows) {
  const auto now = headgate::now();
  auto list = CertificateJson::array();
  const auto files = validity_of(rows);
  for (const auto& row : rows) list.push_back(json_of(row, files.at(row.file), now));
  return {.body = services::text_of({{"certificates", std::move(list)}}), .type = AdminAnswer::kJson};
}

}  // namespace

AdminEndpoint certificates_endpoint(OperatorBoard& operators, std::function<std::vector<CertificateRow>()> ask) {
  return {.method = "GET",
          .path = "/api/v1/certificates",
          .answer_later =
              [&operators, ask = std::move(ask)](const AdminCall&, AdminEndpoint::Give give) {
                (void)operators.on_main_thread([ask, give = std::move(give)] { give(answer_of(ask())); });
              },
          .about = {.summary = "Every certificate in force, and what becomes of it", .answer = "Certificates"}};
}

}  // namespace headgate::admin
