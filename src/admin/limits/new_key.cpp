#include "new_key.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/active_credentials.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/expiry.hpp"
#include "headgate/identity/fresh_key.hpp"
#include "headgate/identity/key_record.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace headgate::admin {
namespace {

using NewKeyJson = nlohmann::ordered_json;
using MadeKey = Result<NewKey, AdminAnswer>;

constexpr std::array<std::string_view, 8> kNewKeyMembers{"owner",   "tier",   "tags",   "groups",
                                                         "expires", "limits", "prefix", "sha256"};

MadeKey not_made(unsigned status, std::string why) {
  return MadeKey(boost::system::in_place_error, AdminAnswer{.status = status, .body = std::move(why)});
}

/// Returns the error with the name of the member in the only record: "tier" for "/keys/0/tier".
std::string key_mistake(const JsonMistake& error) {
  constexpr std::string_view kRecord = "/keys/0/";
  std::string out;
  if (error.pointer.starts_with(kRecord)) out = '"' + error.pointer.substr(kRecord.size()) + "\": ";
  out += error.message;
  if (!error.help.empty()) out += "; " + error.help;
  return out + '.';
}

/// Returns which part of the record the active configuration would not apply; "" if it applies everything.
std::string effect_missing(const services::ActiveConfig& active, const identity::ApiKeyRecord& record) {
  identity::Credentials credentials;
  credentials.api_keys = std::make_shared<const identity::ApiKeys>(std::vector{record});
  const gateway::ActiveCredentials trial(*active.compiled,
                                         std::make_shared<const identity::Credentials>(std::move(credentials)));
  return trial.without_effect().empty() ? std::string() : trial.without_effect().front();
}

}  // namespace

MadeKey read_new_key(const std::string& body, const services::ActiveConfig& active, Instant now) {
  auto asked = NewKeyJson::parse(body, nullptr, false);
  if (!asked.is_object() || !asked.contains("owner"))
    return not_made(400, R"(Send JSON like {"owner": "acme", "tier": "pro", "expires": "2027-12-31"}.)");
  for (const auto& item : asked.items())
    if (std::find(kNewKeyMembers.begin(), kNewKeyMembers.end(), item.key()) == kNewKeyMembers.end())
      return not_made(400, "The members are " + joined(kNewKeyMembers, ", ") + '.');
  NewKey out;
  const auto prefix = asked.value("prefix", NewKeyJson(identity::kUsualPrefix));
  const bool good_prefix = prefix.is_string() && identity::is_key_prefix(prefix.get_ref<const std::string&>());
  if (!good_prefix) return not_made(400, "A \"prefix\" has 1 to 32 letters, digits or '_'.");
  if (!asked.contains("sha256")) {
    out.key = identity::fresh_key(prefix.get<std::string>());
    if (out.key.empty()) return not_made(503, "The system has no random bytes.");
    asked["sha256"] = hex(identity::sha256(out.key));
  } else if (asked.contains("prefix")) {
    return not_made(400, "A key that you bring yourself has no \"prefix\".");
  }
  asked.erase("prefix");
  auto read = identity::read_api_keys(NewKeyJson{{"keys", NewKeyJson::array({asked})}}.dump());
  if (read.has_error()) return not_made(400, key_mistake(read.error()));
  out.record = std::move(read->front());
  constexpr std::size_t kTimes = 2 * sizeof(R"(, "revoked": "2027-12-31T00:00:00Z")");
  if (identity::record_text(out.record).size() + kTimes > identity::kLongestShared)
    return not_made(
        400, "This is too much for one key: its record has at most 1900 bytes. Give it fewer tags, groups or limits.");
  if (out.record.expires && *out.record.expires <= now)
    return not_made(400, "\"expires\": " + moment_text(*out.record.expires) + " has passed.");
  if (const auto why = effect_missing(active, out.record); !why.empty())
    return not_made(422, "This would have no effect: " + why + '.');
  return out;
}

}  // namespace headgate::admin
