// Checks the places of credentials and claims: each field, parameter and cookie may have only one meaning.

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace headgate::config {
namespace {

/// Returns whether HTTP or headgate defines the value of this field, so that it cannot carry a credential or a claim.
bool is_taken(std::string_view name) {
  static constexpr std::array<std::string_view, 19> kTaken{"Host",
                                                           "Connection",
                                                           "Keep-Alive",
                                                           "Proxy-Connection",
                                                           "TE",
                                                           "Trailer",
                                                           "Upgrade",
                                                           "Transfer-Encoding",
                                                           "Content-Length",
                                                           "Content-Type",
                                                           "Expect",
                                                           "Via",
                                                           "Cookie",
                                                           "Forwarded",
                                                           "X-Forwarded-For",
                                                           "X-Real-IP",
                                                           "X-Forwarded-Proto",
                                                           "X-Forwarded-Host",
                                                           "X-Request-Id"};
  return std::any_of(kTaken.begin(), kTaken.end(), [&](auto each) { return http::same_variable(each, name); });
}

class PlaceChecker {
 public:
  PlaceChecker(Build& build, const Node* identity)
      : report_(build.report),
        options_(build.config.identity),
        identity_(identity),
        key_(find(identity, "api_key")),
        jwt_(find(identity, "jwt")),
        key_headers_(texts(find(key_, "header"))) {}

  void run() {
    auto headers = key_headers_;
    if (const Node* header = text_at(jwt_, "header")) headers.push_back(header);
    for (const Node* header : headers) {
      if (is_taken(header->text)) {
        report_.error(code::kConflict, *header, "the field " + in_quotes(header->written) + " has a meaning of its own",
                      R"(choose another, as in "X-API-Key")");
      }
    }
    same_key_headers();
    if (!options_.jwt || !options_.api_key.written) return claim_headers();
    both_headers();
    both("query", options_.api_key.query, options_.jwt->query);
    both("cookie", options_.api_key.cookie, options_.jwt->cookie);
    claim_headers();
  }

 private:
  /// Reports a place that both API keys and tokens use.
  void both(const char* where, const std::string& of_key, const std::string& of_token) {
    if (of_key.empty() || of_key != of_token) return;
    const Node* written = find(key_, where);
    // If the place of the API keys is a default, the tokens have named the same place.
    if (written == nullptr) written = find(jwt_, where);
    if (written != nullptr) report_both(*written);
  }

  void both_headers() {
    const auto& headers = options_.api_key.headers;
    for (std::size_t i = 0; i < headers.size(); ++i) {
      if (headers[i] != options_.jwt->header) continue;
      const Node* written = i < key_headers_.size() ? key_headers_[i] : text_at(jwt_, "header");
      if (written != nullptr) report_both(*written);
    }
  }

  void report_both(const Node& written) {
    report_.error(code::kConflict, written, "API keys and tokens cannot be in the same place",
                  "choose another for one of them");
  }

  void same_key_headers() {
    for (auto each = key_headers_.begin(); each != key_headers_.end(); ++each) {
      const auto same = [&](const Node* earlier) { return http::same_variable(earlier->text, (*each)->text); };
      const auto first = std::find_if(key_headers_.begin(), each, same);
      if (first == each) continue;
      report_.error(code::kDuplicate, **each, read_as((*first)->written, (*first)->span),
                    "name each field once: case, and '-' or '_', make no difference");
    }
  }

  void claim_headers() {
    auto written = children(find(jwt_, "claim_headers"), Kind::object);
    const auto parts = children(find(identity_, "certificate_headers"), Kind::object);
    written.insert(written.end(), parts.begin(), parts.end());
    const Node* const owners = find(key_, "caller_headers");
    const auto of_key = children(owners, Kind::object);
    written.insert(written.end(), of_key.begin(), of_key.end());
    if (owners != nullptr && of_key.empty()) usual_caller_headers(*owners, written);
    for (std::size_t i = 0; i < written.size(); ++i) {
      const Node& field = *written[i];
      if (is_taken(field.key) || carries_credentials(field.key)) {
        report_.error_at_key(code::kConflict, field, in_quotes(field.key) + " already has a meaning of its own",
                             R"(choose another name, as in "X-User")");
      }
      const auto same = [&](const Node* earlier) { return http::same_variable(earlier->key, field.key); };
      const auto first = std::find_if(written.begin(), written.begin() + static_cast<std::ptrdiff_t>(i), same);
      if (*first == &field) continue;
      report_.error_at_key(code::kDuplicate, field, read_as((*first)->key, (*first)->key_span),
                           "give each of them a field of its own");
    }
  }

  /// Checks the fields that `"caller_headers": true` stands for.
  void usual_caller_headers(const Node& node, const std::vector<const Node*>& written) {
    for (const auto& [name, part] : options_.api_key.caller_headers) {
      const auto same = [&name = name](const Node* earlier) { return http::same_variable(earlier->key, name); };
      if (!carries_credentials(name) && std::none_of(written.begin(), written.end(), same)) continue;
      report_.error_at_key(code::kConflict, node, in_quotes(name) + " already has a meaning of its own",
                           R"(name the fields, as in { "X-Caller": "owner" })");
    }
  }

  std::string read_as(const std::string& name, const Span& span) const {
    return "some servers read this as the same field as " + in_quotes(name) + ", at " + report_.place(span.begin);
  }

  bool carries_credentials(std::string_view name) const {
    return http::same_variable(name, "Authorization") ||
           (options_.jwt && http::same_variable(name, options_.jwt->header)) ||
           (options_.api_key.written &&
            std::any_of(options_.api_key.headers.begin(), options_.api_key.headers.end(),
                        [&](const std::string& each) { return http::same_variable(name, each); }));
  }

  Report& report_;
  const identity::IdentityOptions& options_;
  const Node* identity_;
  const Node* key_;
  const Node* jwt_;
  std::vector<const Node*> key_headers_;  // the fields for API keys, as written
};

}  // namespace

void check_places(Build& build, const Node* identity) { PlaceChecker(build, identity).run(); }

}  // namespace headgate::config
