// API keys: where a request may have one, and which keys are known. Only the digest of each key is kept.

#include "headgate/identity/api_keys.hpp"

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace headgate::config {
namespace {

constexpr Shape kDigest = text("64 hexadecimal digits", check_digest);
constexpr Shape kKeyTierName = text("a tier's name", check_name);
constexpr Shape kKeyTag = text("a tag", check_name);
constexpr Shape kKeyTags = list("a list of tags", kKeyTag, 0, 16);

std::optional<LiteralError> check_key_group_name(std::string_view text) {
  if (identity::is_group_name(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not the name of a group",
                      R"(write 1 to 128 printable characters without a space or quote, as in "team")"};
}

std::optional<LiteralError> check_key_group(std::string_view text) {
  if (identity::is_group_value(text)) return std::nullopt;
  return LiteralError{"this is not the value of a group",
                      R"(write 1 to 256 bytes without control characters, as in "search")"};
}

constexpr Shape kKeyGroup = text("a group", check_key_group);
constexpr Shape kKeyGroups = map("an object of groups by name", kKeyGroup, 0, check_key_group_name);
constexpr Key kKnownKeyKeys[] = {
    {"key", &kText, "", R"("${ACME_KEY}")", "The key in clear text; headgate keeps only its SHA-256"},
    {"sha256", &kDigest, "", R"("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")",
     "SHA-256 of the key in hexadecimal, so that no file contains the key"},
    {"tier", &kKeyTierName, "", R"("pro")", R"(Tier of the owner in limits with `"tier_from": "api_key"`)",
     into<&identity::ApiKeyRecord::tier>},
    {"tags", &kKeyTags, kOfOptions, R"(["batch"])", "Tags that routes can require with `require.api_key`",
     into<&identity::ApiKeyRecord::tags>},
    {"groups", &kKeyGroups, "", R"({ "team": "search", "organisation": "acme" })",
     "Groups of the key by name, at most 16. A limit counts by one of them with `\"per\": \"group:team\"`"},
};
constexpr std::string_view kKnownKeyForms[] = {"key", "sha256"};
constexpr Section kKnownKey{.name = "known_key",
                            .path = "identity.api_key.keys.<name>",
                            .doc = "A known key, under its owner's name.",
                            .keys = kKnownKeyKeys,
                            .one_of = kKnownKeyForms};
constexpr Shape kKnownKeyShape = section(kKnownKey);
constexpr Shape kKnownKeys = map("an object of keys by their owner's name", kKnownKeyShape);
constexpr Shape kKeyHeaders = list("a list of field names", kHeaderName, 1, 8);
constexpr const Shape* kKeyHeaderForms[] = {&kHeaderName, &kKeyHeaders};
constexpr Shape kKeyHeader = either("a field name or a list of field names", kKeyHeaderForms);
constexpr WordsUpTo<identity::KeyPart::tags> kKeyParts({"owner", "tier", "tags"});
constexpr Shape kKeyPart = choice(kKeyParts);
constexpr Shape kCallerFields =
    map("an object of `owner`, `tier` or `tags` by field name", kKeyPart, 0, check_field_name);
constexpr const Shape* kCallerHeaderForms[] = {&kBoolean, &kCallerFields};
constexpr Shape kCallerHeaders = either("true, false or an object of parts by field name", kCallerHeaderForms);
constexpr Key kApiKeyKeys[] = {
    {"header", &kKeyHeader, R"("X-API-Key")", R"(["Authorization", "X-API-Key"])",
     "Request field with the key, or a list of fields. In `Authorization`, the key may follow `Bearer`"},
    {"query", &kParameterName, "", R"("api_key")",
     "Query parameter that may contain the key; servers and proxies may log it", into<&identity::ApiKeyOptions::query>},
    {"cookie", &kCookieName, "", R"("api_key")", "Cookie that may contain the key",
     into<&identity::ApiKeyOptions::cookie>},
    {"pass_on", &kBoolean, kOfOptions, "true", "Whether the key is passed on to the server",
     into<&identity::ApiKeyOptions::pass_on>},
    {"caller_headers", &kCallerHeaders, "false", R"({ "X-Consumer": "owner", "X-Plan": "tier" })",
     "Request fields that tell the server the `owner`, `tier` or `tags` of a known key. `true` means `X-Consumer`, "
     "`X-Consumer-Tier` and `X-Consumer-Tags`. Fields of these names from clients are removed on every route"},
    {"file", &kFilePath, "", R"("/etc/headgate/api-keys.json")",
     "File of known keys, read again when it changes. `headgate keys` writes and checks it",
     into<&identity::ApiKeyOptions::file>},
    {"issue", &kBoolean, kOfOptions, "true",
     "Whether the admin interface can issue and revoke keys. They are written to `file` and shared through Redis with "
     "all gateways that have this option",
     into<&identity::ApiKeyOptions::issue>},
    {"keys", &kKnownKeys, "{}", R"({ "acme": { "key": "${ACME_KEY}", "tier": "pro" } })",
     "Known keys by owner. If neither this nor `file` is set, every text is accepted as a key and has its own "
     "counters"},
};
constexpr Section kApiKey{"api_key", "identity.api_key", "Where API keys are found, and which are known.", kApiKeyKeys};

}  // namespace

constexpr Shape kApiKeyShape = section(kApiKey);

namespace {

constexpr std::size_t kShortKey = 16;  // bytes; shorter keys can be guessed over a network

/// Reads the digest of a key, or computes it from the key. Returns false if neither is valid; the mistake has then been
/// reported.
bool read_digest(Build& build, const Node& node, identity::Sha256& out) {
  if (const Node* digest = text_at(&node, "sha256")) {
    const auto read = parse_digest(digest->text);
    if (read.has_value()) out = *read;
    return read.has_value();
  }
  const Node* key = text_at(&node, "key");
  if (key == nullptr) return false;
  if (check_field_value(key->text)) {
    build.report.error(code::kCredentials, *key, "this key cannot be sent in a header field",
                       "a key is 1 to 256 printable ASCII characters without spaces at its ends");
    return false;
  }
  if (key->text.size() < kShortKey) {
    build.report.warning(code::kGuessable, *key,
                         "a key of " + std::to_string(key->text.size()) + " bytes can be guessed",
                         "make one of 16 or more: openssl rand -hex 24");
  }
  out = identity::sha256(key->text);
  return true;
}

void read_groups(Build& build, const Node& key, identity::KeyGroups& out) {
  const Node* groups = find(&key, "groups");
  for (const Node* each : children(groups, Kind::object)) out.emplace_back(each->key, each->text);
  if (out.size() > identity::kMaxGroups)
    build.report.error_at_key(code::kRange, *groups,
                              "a key has at most " + std::to_string(identity::kMaxGroups) + " groups", "remove some");
}

std::vector<const Node*> known_keys(const Node* api_key) { return children(find(api_key, "keys"), Kind::object); }

/// Returns the key file's record of this key, or null.
const identity::ApiKeyRecord* in_file(const Build& build, const identity::Sha256& digest) {
  const auto& keys = build.keys_in_file;
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& each) { return each.digest == digest; });
  return found == keys.end() ? nullptr : &*found;
}

/// Checks the key file in its current state. The gateway reads it again after every change.
void check_key_file(Build& build, const Node& file) {
  const auto content = read_text_file(file.text, identity::kLongestKeyFile);
  if (!content.text) {
    build.report.error(code::kCredentials, file,
                       "the key file " + in_quotes(file.written) + " cannot be read: " + content.why_not,
                       R"(make one: headgate keys new --owner acme --file api-keys.json)");
    return;
  }
  const auto read = identity::read_api_keys(*content.text);
  if (read.has_value()) {
    build.keys_in_file = *read;
    return;
  }
  const auto& fault = read.error();
  build.report.error(code::kCredentials, file,
                     "the key file " + in_quotes(file.written) + " has a mistake at " + std::to_string(fault.line) +
                         ':' + std::to_string(fault.column) + ": " + fault.message,
                     fault.help);
}

/// The fields for which `"caller_headers": true` stands.
constexpr std::pair<std::string_view, identity::KeyPart> kUsualCallerHeaders[] = {
    {"X-Consumer", identity::KeyPart::owner},
    {"X-Consumer-Tier", identity::KeyPart::tier},
    {"X-Consumer-Tags", identity::KeyPart::tags}};

void build_caller_headers(Build& build, const Node* api_key) {
  auto& out = build.config.identity.api_key.caller_headers;
  bool usual = false;
  read(api_key, "caller_headers", usual);
  if (usual)
    for (const auto& [name, part] : kUsualCallerHeaders) out.emplace_back(name, part);
  const Node* written = find(api_key, "caller_headers");
  for (const Node* each : children(written, Kind::object)) {
    const auto word = std::find(kKeyParts.begin(), kKeyParts.end(), each->text);
    if (word != kKeyParts.end()) out.emplace_back(each->key, static_cast<identity::KeyPart>(word - kKeyParts.begin()));
  }
  if (!out.empty() && !build.config.identity.api_key.any_known())
    build.report.warning_at_key(code::kNoEffect, *written,
                                "\"caller_headers\" has no effect: no API key is known, so no key has an owner",
                                kNameKeys);
}

}  // namespace

void build_api_keys(Build& build, const Node* api_key) {
  if (api_key == nullptr) return;
  auto& out = build.config.identity.api_key;
  out.written = true;
  if (const auto headers = texts(find(api_key, "header")); !headers.empty()) {
    out.headers.clear();
    for (const Node* each : headers) out.headers.push_back(lower(each->text));
  }
  fill(api_key, kApiKey, out);
  if (const Node* file = text_at(api_key, "file"); file != nullptr && !out.file.empty()) check_key_file(build, *file);
  if (const Node* issue = find(api_key, "issue"); out.issue && out.file.empty())
    build.report.error_at_key(code::kMissing, *issue, "\"issue\" needs a file that keys are written to",
                              R"(add "file": "/var/lib/headgate/api-keys.json")");
  std::map<identity::Sha256, const Node*> seen;
  for (const Node* each : known_keys(api_key)) {
    identity::ApiKeyRecord record;
    record.owner = each->key;
    fill(each, kKnownKey, record);
    read_groups(build, *each, record.groups);
    if (!read_digest(build, *each, record.digest)) continue;
    const auto [first, fresh] = seen.emplace(record.digest, each);
    if (!fresh) {
      build.report.error_at_key(code::kDuplicate, *each,
                                "this is the key of " + in_quotes(first->second->key) + ", at " +
                                    build.report.place(first->second->key_span.begin),
                                "give each owner its own key");
    } else if (const auto* twin = in_file(build, record.digest)) {
      build.report.warning_at_key(
          code::kNoEffect, *each,
          "the key file has this key too, as " + in_quotes(twin->owner) + "'s, and that one counts",
          "remove one of the two");
    }
    build.config.identity.api_key.known.push_back(std::move(record));
  }
  build_caller_headers(build, api_key);
}

namespace {

class KeyChecker {
 public:
  explicit KeyChecker(Build& build) : build_(build), report_(build.report), tiers_(tiers_by_key(build)) {
    for (const Node* route : children(find(&build.root, "routes"), Kind::list))
      for (const Node* tier : texts(find(find(find(route, "require"), "api_key"), "tiers")))
        demanded_.insert(tier->text);
  }

  void run() {
    const Node* api_key = find(find(&build_.root, "identity"), "api_key");
    for (const Node* each : children(find(api_key, "keys"), Kind::object)) {
      if (const Node* tier = text_at(each, "tier")) check_tier(*tier);
    }
    // A wrong name in the key file is only a warning and does not prevent the start, because the file may change at any
    // time.
    for (const auto& key : build_.keys_in_file) check_record(*find(api_key, "file"), key);
  }

 private:
  static constexpr std::size_t kShown = 8;  // maximum number of mistakes of one kind that are shown for the key file

  /// Returns the nodes of all tiers that a known key can name.
  static std::vector<const Node*> tiers_by_key(const Build& build) {
    std::vector<const Node*> out;
    for (std::size_t i = 0; i < build.config.limits.size(); ++i) {
      const auto& from = build.config.limits[i].tier_from;
      if (!from || from->source->word != "api_key") continue;
      if (const Node* tiers = find(build.limit_nodes[i], "tiers"))
        out.insert(out.end(), tiers->children.begin(), tiers->children.end());
    }
    return out;
  }

  bool is_tier(const std::string& name) const {
    return demanded_.contains(name) ||
           std::any_of(tiers_.begin(), tiers_.end(), [&](const Node* known) { return known->key == name; });
  }

  void check_tier(const Node& tier) {
    if (is_tier(tier.text)) return;
    if (tiers_.empty()) {
      report_.warning_at_key(code::kNoEffect, tier, "\"tier\" has no effect: no limit takes its tier from the API key",
                             R"(write "tier_from": "api_key" at a limit with tiers, or remove it)");
    } else {
      report_.error(code::kUnresolved, tier, "no tier is named " + in_quotes(tier.written),
                    tier.replaced ? "" : suggestion(tier.text, tiers_, report_));
    }
  }

  void check_record(const Node& file, const identity::ApiKeyRecord& key) {
    if (!key.tier.empty() && !is_tier(key.tier) && is_news(told_tiers_, tiers_.empty() ? "" : key.tier)) {
      const std::string has = "a key of " + in_quotes(key.owner) + " in this file has the tier " + in_quotes(key.tier);
      tiers_.empty() ? report_.warning(code::kNoEffect, file, has + ", but no limit takes its tier from the API key",
                                       R"(write "tier_from": "api_key" at a limit with tiers)")
                     : report_.warning(code::kNoEffect, file, has + ", but there is no such tier: it gets the default",
                                       suggestion(key.tier, tiers_, report_));
    }
    for (const auto& own : key.overrides) {
      if (limit_index(build_, own.limit) >= 0 || !is_news(told_limits_, own.limit)) continue;
      report_.warning(code::kNoEffect, file,
                      "a key of " + in_quotes(key.owner) + " in this file overrides limit " + in_quotes(own.limit) +
                          ", which does not exist",
                      suggestion(own.limit, build_.limit_nodes, report_));
    }
  }

  static bool is_news(std::set<std::string>& told, const std::string& name) {
    return told.size() < kShown && told.insert(name).second;
  }

  Build& build_;
  Report& report_;
  std::vector<const Node*> tiers_;
  std::set<std::string> demanded_;  // tiers of which routes require a key
  std::set<std::string> told_tiers_;
  std::set<std::string> told_limits_;
};

}  // namespace

void check_keys(Build& build) { KeyChecker(build).run(); }

}  // namespace headgate::config
