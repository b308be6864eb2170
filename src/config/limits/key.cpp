// The key that a limit counts by, and the treatment of a caller without it.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/once.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

constexpr Shape kPer = text("a key to count by", check_per);
constexpr Shape kPers = list("a list of keys to count by", kPer, 1, 8);
constexpr const Shape* kPerForms[] = {&kPer, &kPers};
constexpr Shape kAbsent = text("what to do", check_if_absent);
constexpr Shape kAbsentStatus = integer(400, 499);
constexpr Key kAbsentKeys[] = {
    {"reject", &kAbsentStatus, "", "403", "Status of the refusal; 401 adds `WWW-Authenticate`", required},
};
constexpr Section kAbsentReject{"reject_with", "limits.<name>.if_absent", "A refusal with its own status.",
                                kAbsentKeys};
constexpr Shape kAbsentObject = section(kAbsentReject);
constexpr const Shape* kAbsentOneForms[] = {&kAbsent, &kPers, &kAbsentObject};
constexpr Shape kAbsentOne = either("what to do, or a list of keys to count by together", kAbsentOneForms);
constexpr Shape kAbsentChain = list("a list of keys to try in order", kAbsentOne, 1, limit::IfAbsent::kMaxInstead + 1);
constexpr const Shape* kAbsentForms[] = {&kAbsent, &kAbsentChain, &kAbsentObject};

}  // namespace

constexpr Shape kPerOrPers{.form = Shape::Form::either,
                           .what = "a key to count by, or a list of them",
                           .registered = per_words,
                           .forms = kPerForms};
constexpr Shape kIfAbsent = either("\"skip\", \"reject\", or a key to count by instead", kAbsentForms);

namespace {

using gateway::Needs;
using limit::IfAbsent;
using limit::Per;

/// Header fields that name a client address and that any caller can write.
bool claims_address(const Per& per) {
  static constexpr std::array<std::string_view, 6> kFields{"x-forwarded-for", "x-real-ip",        "forwarded",
                                                           "true-client-ip",  "cf-connecting-ip", "x-client-ip"};
  return per.source->needs == Needs::field && std::find(kFields.begin(), kFields.end(), per.name) != kFields.end();
}

bool is_field_for_servers(const identity::IdentityOptions& identity, const Per& per) {
  if (per.source->needs != Needs::field) return false;
  const auto among = [&](const auto& headers) {
    return std::any_of(headers.begin(), headers.end(),
                       [&](const auto& each) { return http::same_variable(each.first, per.name); });
  };
  return (identity.jwt && among(identity.jwt->claim_headers)) || among(identity.api_key.caller_headers);
}

bool counts_by_group(const Per& per) { return per.source->word == "group:"; }

/// Known keys may change at any time, so a group that no key has is only a warning.
void check_group_known(Build& build, const Node& node, const Per& per, const std::string& use) {
  const auto& options = build.config.identity.api_key;
  if (!options.any_known())
    return build.report.error(code::kUnresolved, node,
                              use + ' ' + gateway::to_text(per) + ", but no API key is known, so no key has groups",
                              kNameKeys);
  const auto has = [&](const identity::ApiKeyRecord& key) { return !key.group(per.name).empty(); };
  if (!options.issue && std::none_of(options.known.begin(), options.known.end(), has) &&
      std::none_of(build.keys_in_file.begin(), build.keys_in_file.end(), has))
    build.report.warning(code::kNoEffect, node, "no known API key has the group " + in_quotes(per.name),
                         R"(add it to the keys: "groups": { )" + in_quotes(per.name) + R"(: "…" })");
}

/// Checks whether any request can prove this part. `use` describes the use of the part: "this counts per".
void check_credentials(Build& build, const Node& node, const Per& per, const std::string& use) {
  if (per.source->needs == Needs::token) demand_jwt(build, node, use, per);
  if (counts_by_group(per)) check_group_known(build, node, per, use);
  if (per.source->needs == Needs::certificate && !asks_for_certificates(build.config))
    build.report.error(code::kUnresolved, node,
                       use + ' ' + gateway::to_text(per) + ", but no listener asks clients for certificates",
                       R"(add "client_ca": "/etc/headgate/clients-ca.pem" to the "tls" of the listener)");
}

/// Warns if callers could choose their counters.
void check_belief(Build& build, const Node& node, const Per& per) {
  const auto& identity = build.config.identity;
  if (per.source->needs == Needs::api_key && !counts_by_group(per) && !identity.api_key.any_known()) {
    build.report.warning(code::kBelieved, node,
                         "no API key is known, so a caller can invent a new one for each request and avoid this limit",
                         kNameKeys);
  }
  if (is_field_for_servers(identity, per)) {
    build.report.warning(
        code::kBelieved, node,
        "this counts by the field " + per.name +
            " as the caller sends it; headgate writes the verified caller into this field only for the server",
        R"(count by what is verified, as in "jwt.sub" or "api_key")");
  }
  if (claims_address(per)) {
    build.report.warning(code::kProxies, node,
                         "any caller can write the field " + per.name + ", and so choose its counter",
                         "count per \"client_ip\", and name your load balancer in \"trusted_proxies\"");
  }
}

/// Returns whether every request has all parts of the key.
bool is_sure(const std::vector<Per>& key) { return std::all_of(key.begin(), key.end(), gateway::always_there); }

/// Returns whether every request that lacks `earlier` also lacks `later`.
bool lacks_with(const std::vector<Per>& earlier, const std::vector<Per>& later) {
  const auto in_both = [&](const Per& per) {
    return gateway::always_there(per) || std::find(later.begin(), later.end(), per) != later.end();
  };
  return !is_sure(earlier) && std::all_of(earlier.begin(), earlier.end(), in_both);
}

class AbsenceBuilder {
 public:
  AbsenceBuilder(Build& build, const std::vector<Per>& per, IfAbsent& out)
      : build_(build), report_(build.report), per_(per), out_(out) {}

  void run(const Node& written) {
    if (written.kind == Kind::list) {
      for (const Node* each : written.children)
        step(*each, each == written.children.back() ? Place::last : Place::amid);
    } else {
      step(written, Place::last);
    }
    if (!out_.instead.empty() && out_.last == IfAbsent::Last::unset) demand_an_end(written);
    if (!per_.empty() && is_sure(per_)) {
      report_.warning_at_key(code::kNoEffect, written,
                             "\"if_absent\" has no effect: no request lacks " + gateway::to_text(per_.front()),
                             "remove it");
    }
  }

 private:
  enum class Place { amid, last };

  void step(const Node& node, Place place) {
    const bool word = node.kind == Kind::string && (node.text == "skip" || node.text == "reject");
    if (!word && node.kind != Kind::object) return another_key(node, place);
    if (place != Place::last) {
      const std::string what = word ? in_quotes(node.text) : in_quotes("reject");
      return report_.error(code::kConflict, node, "keys after " + what + " are never tried", "write it last");
    }
    out_.last = word && node.text == "skip" ? IfAbsent::Last::skip : IfAbsent::Last::reject;
    read_number(&node, "reject", out_.status);
  }

  void another_key(const Node& node, Place place) {
    if (node.kind != Kind::string && node.kind != Kind::list) return;
    auto key = build_key(build_, &node, KeyFor::limiting);
    if (key.empty()) return;
    if (place != Place::last && is_sure(key)) {
      report_.error(
          code::kConflict, node,
          "keys after this one are never tried: no request lacks " + gateway::to_text(key.front()),
          "write it last, or put keys that count together into an inner list, as in [[\"client_ip\", \"route\"]]");
    }
    auto& before = out_.instead;
    if (lacks_with(per_, key) ||
        std::any_of(before.begin(), before.end(), [&](const auto& earlier) { return lacks_with(earlier, key); })) {
      return report_.error(code::kConflict, node,
                           "this is never used: a request that lacks what comes before it lacks this too",
                           R"(count by something else, as in "client_ip")");
    }
    if (before.size() == IfAbsent::kMaxInstead) {
      out_.last = IfAbsent::Last::skip;  // one error per list is enough
      return report_.error(code::kRange, node,
                           "no more than " + std::to_string(IfAbsent::kMaxInstead) + " keys are tried in turn",
                           "end with \"skip\" or \"reject\" here");
    }
    before.push_back(std::move(key));
  }

  void demand_an_end(const Node& written) {
    const auto& key = out_.instead.back();
    const auto unsure = std::find_if_not(key.begin(), key.end(), gateway::always_there);
    if (unsure == key.end()) return;
    const auto name = gateway::to_text(*unsure);
    report_.error(code::kKeyAbsent, written, "a request may lack " + name + " too",
                  "end with a key that every request has, as in [" + in_quotes(name) +
                      R"(, "client_ip"], or with "skip" or "reject")");
  }

  Build& build_;
  Report& report_;
  const std::vector<Per>& per_;
  IfAbsent& out_;
};

}  // namespace

std::vector<Per> build_key(Build& build, const Node* written, KeyFor what) {
  const bool counts = what != KeyFor::balancing;
  std::vector<Per> out;
  for (const Node* each : texts(written)) {
    auto per = parse_per(each->text);
    if (per.has_error() || !add_once(build.report, *each, std::move(*per), out)) continue;
    if (what != KeyFor::limiting && out.back().source->needs == Needs::body)
      build.report.error(code::kConflict, *each,
                         "only limits count by a value in the body, which is read too late here",
                         "name a part of the head, such as \"header:X-Model\"");
    check_credentials(build, *each, out.back(), counts ? "this counts per" : "this balances per");
    if (counts) check_belief(build, *each, out.back());
  }
  if (!counts) return out;
  const auto total = std::find_if(out.begin(), out.end(),
                                  [](const Per& per) { return per.source->counts == gateway::Counts::everybody; });
  if (out.size() > 1 && total != out.end()) {
    const auto word = in_quotes(total->source->word);
    build.report.error(code::kConflict, *written,
                       word + " is one counter for all requests, so it cannot be combined with other keys",
                       "remove " + word + ", or count per " + word + " alone");
  }
  return out;
}

void build_if_absent(Build& build, const Node& limit, const std::vector<Per>& per, IfAbsent& out) {
  if (const Node* written = find(&limit, "if_absent")) AbsenceBuilder(build, per, out).run(*written);
}

void demand_jwt(Build& build, const Node& node, const std::string& what, const Per& per) {
  if (build.config.identity.jwt) return;
  build.report.error(code::kUnresolved, node,
                     what + ' ' + gateway::to_text(per) + ", but \"identity\" has no \"jwt\" to verify tokens with",
                     R"(add "identity": { "jwt": { "algorithms": ["HS256"], "secret": "${JWT_SECRET}" } })");
}

}  // namespace headgate::config
