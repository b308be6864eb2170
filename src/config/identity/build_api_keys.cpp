// The known API keys. Only the digest of each key is kept.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/identity/api_keys.hpp"

#include <map>
#include <set>

namespace headgate::config {
namespace {

constexpr std::size_t kShortKey = 16;  // bytes; shorter keys can be guessed over a network

/// False if there is no valid digest or key; the mistake is reported here or earlier.
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

std::vector<const Node*> known_keys(const Node* api_key) { return children(find(api_key, "keys"), Kind::object); }

/// The key file's record of this key, or null.
const identity::ApiKeyRecord* in_file(const Build& build, const identity::Sha256& digest) {
  const auto& keys = build.keys_in_file;
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& each) { return each.digest == digest; });
  return found == keys.end() ? nullptr : &*found;
}

/// Checks the key file as it is now. The gateway reads it again after every change.
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
    for (const Node* tag : texts(find(each, "tags"))) record.tags.push_back(tag->text);
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
          "the key file has this key too, as " + in_quotes(twin->owner) + "'s; the one here counts",
          "remove one of the two");
    }
    build.config.identity.api_key.known.push_back(std::move(record));
  }
}

}  // namespace headgate::config
