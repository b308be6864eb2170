#include "admin/endpoint_groups.hpp"
#include "new_key.hpp"
#include "shared_json.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/identity/expiry.hpp"
#include "headgate/identity/key_record.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headgate::admin {
namespace {

using KeysJson = nlohmann::ordered_json;
using KeyGive = AdminEndpoint::Give;
using identity::ApiKeyRecord;

constexpr std::size_t kMaxKeyBody = 8UL * 1024;
constexpr std::size_t kUsualPage = 1000;
constexpr std::size_t kLargestPage = 10'000;

AdminAnswer refused_key(unsigned status, std::string sentence) {
  return {.status = status, .body = std::move(sentence)};
}

std::string_view state_of(const ApiKeyRecord& record, Instant at) noexcept {
  return record.revoked                            ? "revoked"
         : record.disabled                         ? "disabled"
         : record.expires && at >= *record.expires ? "expired"
                                                   : "valid";
}

/// Returns a record as JSON. Neither the key nor its digest is in it, except for the part of the digest that is the id.
KeysJson json_of(const ApiKeyRecord& record, Instant at) {
  KeysJson out = {{"id", identity::id_of(record.digest)}, {"owner", record.owner}};
  if (!record.tier.empty()) out["tier"] = record.tier;
  if (!record.tags.empty()) out["tags"] = record.tags;
  for (const auto& [name, value] : record.groups) out["groups"][name] = value;
  if (!record.overrides.empty()) {
    out["limits"] = KeysJson::array();
    for (const auto& each : record.overrides) out["limits"].push_back(each.limit);
  }
  out["state"] = state_of(record, at);
  if (record.expires) out["expires"] = moment_text(*record.expires);
  if (record.issued) out["issued"] = moment_text(*record.issued);
  if (record.revoked) out["revoked"] = moment_text(*record.revoked);
  return out;
}

void add_where_kept(const services::KeyService::Done& done, KeysJson& out) {
  out["file"] = KeysJson{{"written", done.unwritten.empty()}};
  if (!done.unwritten.empty()) out["file"]["why"] = done.unwritten;
  out["store"] = done.spread ? "redis" : "memory";
  if (done.spread) out["gateways"] = to_json(*done.spread);
}

/// The data that all calls need.
struct KeyCalls {
  OperatorBoard& board;
  std::shared_ptr<services::KeyService> keys;
};

void on_main_with_keys(OperatorBoard& board, const KeyGive& give, std::function<void()> what) {
  if (!board.on_main_thread(std::move(what))) give(refused_key(503, "This gateway is shutting down."));
}

void issue_key(const KeyCalls& calls, const AdminCall& call, const KeyGive& give) {
  auto wanted = read_new_key(call.body, *calls.board.now().active, now());
  if (wanted.has_error()) return give(wanted.error());
  const auto tell = [give,
                     key = std::move(wanted->key)](const Result<services::KeyService::Done, services::Refusal>& done) {
    if (done.has_error()) return give(refused_key(done.error().status, done.error().why));
    auto out = json_of(done->record, now());
    if (!key.empty()) out["key"] = key;
    add_where_kept(*done, out);
    give({.status = 201,
          .body = services::text_of(out),
          .type = AdminAnswer::kJson,
          .target = "id=" + identity::id_of(done->record.digest) + " owner=" + done->record.owner});
  };
  on_main_with_keys(calls.board, give,
                    [keys = calls.keys, tell, record = std::move(wanted->record)] { keys->issue(record, tell); });
}

void revoke_key(const KeyCalls& calls, const AdminCall& call, const KeyGive& give) {
  const std::string id(call.parameter("id"));
  if (!identity::is_id(id)) return give(refused_key(400, kKeyIdForm));
  const auto tell = [give](const Result<services::KeyService::Done, services::Refusal>& done) {
    if (done.has_error()) return give(refused_key(done.error().status, done.error().why));
    auto out = json_of(done->record, now());
    add_where_kept(*done, out);
    give({.body = services::text_of(out), .type = AdminAnswer::kJson, .target = "owner=" + done->record.owner});
  };
  on_main_with_keys(calls.board, give, [keys = calls.keys, tell, id] { keys->revoke(id, tell); });
}

AdminAnswer one_key(const OperatorBoard& board, const AdminCall& call) {
  const auto id = call.parameter("id");
  if (!identity::is_id(id)) return refused_key(400, kKeyIdForm);
  const auto active = board.now().active;
  const auto named = identity::named_by(id);
  for (const auto& each : active->credentials->api_keys().records())
    if (identity::same_id(each.digest, named))
      return {.body = services::text_of(json_of(each, now())), .type = AdminAnswer::kJson};
  return refused_key(404, "No key has this id.");
}

/// Returns the records of a page, ordered by digest, so that the order stays the same while keys come and go.
std::vector<const ApiKeyRecord*> page_of(const std::vector<ApiKeyRecord>& all, std::string_view owner,
                                         std::string_view after, std::size_t count) {
  const auto before = [](const ApiKeyRecord* a, const ApiKeyRecord* b) { return a->digest < b->digest; };
  const auto last = identity::named_by(after);
  const auto is_behind = [&](const identity::Sha256& digest) {
    return after.empty() || (digest > last && !identity::same_id(digest, last));
  };
  std::vector<const ApiKeyRecord*> out;
  for (const auto& each : all)
    if ((owner.empty() || each.owner == owner) && is_behind(each.digest)) out.push_back(&each);
  std::stable_sort(out.begin(), out.end(), before);
  // If a key is known twice, for example from the file and from the configuration, only its first record is listed,
  // because that one is in effect.
  const auto same = [](const ApiKeyRecord* a, const ApiKeyRecord* b) { return a->digest == b->digest; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  if (out.size() > count) out.resize(count);
  return out;
}

AdminAnswer list_keys(const OperatorBoard& board, const AdminCall& call) {
  std::string owner;
  std::string after;
  std::size_t count = kUsualPage;
  for (const std::string_view name : {"owner", "after", "count"}) {
    if (http::query_parameter(call.query, name).value.empty()) continue;
    const auto value = call.asked(name);
    if (!value) return refused_key(400, "A parameter of the query appears twice or cannot be read.");
    if (name == "owner") owner = *value;
    if (name == "after") after = *value;
    if (name != "count") continue;
    const auto asked = whole_number<std::size_t>(*value, 1, kLargestPage);
    if (!asked) return refused_key(400, "\"count\" is a number from 1 to 10000.");
    count = *asked;
  }
  if (!after.empty() && !identity::is_id(after)) return refused_key(400, kKeyIdForm);
  const auto at = now();
  const auto active = board.now().active;
  const auto& all = active->credentials->api_keys().records();
  const auto page = page_of(all, owner, after, count);
  auto rows = KeysJson::array();
  for (const auto* each : page) rows.push_back(json_of(*each, at));
  KeysJson out = {{"issues", active->config->identity.api_key.issue}, {"keys", std::move(rows)}};
  if (page.size() == count) out["after"] = identity::id_of(page.back()->digest);
  return {.body = services::text_of(out), .type = AdminAnswer::kJson};
}

}  // namespace

std::vector<AdminEndpoint> api_key_endpoints(OperatorBoard& board, const std::shared_ptr<services::KeyService>& keys) {
  const KeyCalls calls{board, keys};
  constexpr std::string_view kAll = "/api/v1/keys";
  constexpr std::string_view kOne = "/api/v1/keys/{id}";
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "GET",
                 .path = kAll,
                 .answer = [&board](const AdminCall& call) { return list_keys(board, call); },
                 .about = {.summary = "The known API keys, without the keys themselves",
                           .answer = "ApiKeys",
                           .query = {{"owner", "only keys of this owner"},
                                     {"after", "the id of the last key of the page before"},
                                     {"count", "how many keys, at most 10000; 1000 if it is not there"}}}});
  out.push_back({.method = "POST",
                 .path = kAll,
                 .most_body = kMaxKeyBody,
                 .answer_later = [calls](const AdminCall& call, const KeyGive& give) { issue_key(calls, call, give); },
                 .about = {.summary = "Issue an API key, which is in this answer only",
                           .body = "NewApiKey",
                           .answer = "ApiKeyChange"}});
  out.push_back({.method = "GET",
                 .path = kOne,
                 .answer = [&board](const AdminCall& call) { return one_key(board, call); },
                 .about = {.summary = "What is known of an API key", .answer = "ApiKey"}});
  out.push_back({.method = "DELETE",
                 .path = kOne,
                 .answer_later = [calls](const AdminCall& call, const KeyGive& give) { revoke_key(calls, call, give); },
                 .about = {.summary = "Revoke an API key, for good", .answer = "ApiKeyChange"}});
  return out;
}

}  // namespace headgate::admin
