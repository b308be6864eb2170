// The API keys that are known. Of a key only its digest is kept.

#include "build.hpp"
#include "codes.hpp"
#include "formats.hpp"
#include "placeholders.hpp"
#include "values.hpp"

#include "headgate/identity/api_keys.hpp"

#include <map>
#include <set>

namespace headgate::config {
namespace {

constexpr std::size_t kShortKey = 16;  // bytes; what is shorter can be guessed over a network

/// False where there is none to keep; reported here or before.
bool read_digest(Build& build, const Node& node, identity::Sha256& out) {
  if (const Node* digest = text_at(&node, "sha256")) {
    const auto read = parse_digest(digest->text);
    if (read.has_value()) out = *read;
    return read.has_value();
  }
  const Node* key = text_at(&node, "key");
  if (key == nullptr) return false;
  if (check_field_value(key->text)) {
    build.report.error(code::kCredentials, *key, "this key cannot stand in a field",
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

std::vector<const Node*> known_keys(const Node* api_key) { return children(find(api_key, "keys"), Kind::object); }

/// The gateway reads it again whenever it changes; here only what is wrong with it now.
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

/// All tiers a known key can name, where they were written.
std::vector<const Node*> tiers_by_key(const Build& build) {
  std::vector<const Node*> out;
  for (std::size_t i = 0; i < build.config.limits.size(); ++i) {
    const auto& from = build.config.limits[i].tier_from;
    if (!from || from->kind != limit::Per::Kind::api_key) continue;
    if (const Node* tiers = find(build.limit_nodes[i], "tiers"))
      out.insert(out.end(), tiers->children.begin(), tiers->children.end());
  }
  return out;
}

}  // namespace

void build_api_keys(Build& build, const Node* api_key) {
  if (api_key == nullptr) return;
  auto& out = build.config.identity.api_key;
  out.written = true;
  if (const Node* header = text_at(api_key, "header")) out.header = lower(header->text);
  read(api_key, "query", out.query);
  read(api_key, "cookie", out.cookie);
  read(api_key, "pass_on", out.pass_on);
  read(api_key, "file", out.file);
  if (const Node* file = text_at(api_key, "file"); file != nullptr && !out.file.empty()) check_key_file(build, *file);
  std::map<identity::Sha256, const Node*> seen;
  for (const Node* each : known_keys(api_key)) {
    identity::ApiKeyRecord record;
    record.owner = each->key;
    read(each, "tier", record.tier);
    if (!read_digest(build, *each, record.digest)) continue;
    const auto [first, fresh] = seen.emplace(record.digest, each);
    if (!fresh) {
      build.report.error_at_key(code::kDuplicate, *each,
                                "this is the key of " + in_quotes(first->second->key) + ", at " +
                                    build.report.place(first->second->key_span.begin),
                                "give each owner its own key");
    }
    build.config.identity.api_key.known.push_back(std::move(record));
  }
}

void check_key_tiers(Build& build) {
  const auto tiers = tiers_by_key(build);
  for (const Node* each : known_keys(find(find(&build.root, "identity"), "api_key"))) {
    const Node* tier = text_at(each, "tier");
    if (tier == nullptr) continue;
    if (tiers.empty()) {
      build.report.warning_at_key(code::kNoEffect, *tier,
                                  "\"tier\" has no effect: no limit takes its tier from the API key",
                                  R"(write "tier_from": "api_key" at a limit with tiers, or remove it)");
    } else if (std::none_of(tiers.begin(), tiers.end(), [&](const Node* known) { return known->key == tier->text; })) {
      build.report.error(code::kUnresolved, *tier, "no tier is named " + in_quotes(tier->written),
                         tier->replaced ? "" : suggestion(tier->text, tiers, build.report));
    }
  }
}

}  // namespace headgate::config
