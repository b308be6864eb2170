// A `rate` whose count is a number in the caller's credential: keys of the file, and the options that they make.

#include "config/limits/told_size.hpp"

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"

#include <utility>

namespace headgate::config {
namespace {

std::optional<LiteralError> check_rate_period(std::string_view text) {
  if (rate_of(1, text).has_value()) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not the period of a rate",
                      R"(write "second", "minute", "hour", "day", "month", or a duration such as "5m")"};
}

constexpr Shape kSizeSource{
    .form = Shape::Form::text, .what = "a source of the count", .check = check_size_from, .registered = size_words};
constexpr Shape kRatePeriod = text("a period", check_rate_period);
constexpr Shape kRateCount = integer(1, kMaxRequests);
constexpr Key kRateFromKeys[] = {
    {"from", &kSizeSource, "", R"("jwt.rpm")",
     "Source of the count: {words}. A header field is accepted only from trusted proxies", required},
    {"per", &kRatePeriod, "", R"("minute")", "Period of the rate: what follows the slash in `100/minute`", required},
    {"most", &kRateCount, "", "1000", "Maximum count; a larger number counts as this one", required},
    {"otherwise", &kRateCount, "", "60", "Count if there is no such number, or none that is a whole number from 1 on",
     required},
};
constexpr Section kRateFromSection{
    .name = "rate_from",
    .path = "limits.<name>.rate",
    .doc = "A rate whose count is a number in the caller's credential or in a descriptor.",
    .keys = kRateFromKeys};

}  // namespace

constexpr Shape kRateFrom = section(kRateFromSection);

Result<Rate, LiteralError> rate_of(std::uint64_t count, std::string_view period) {
  return parse_rate(std::to_string(count) + '/' + std::string(period));
}

void check_told_source(Build& build, const Node& node, const limit::Per& from, const std::string& what) {
  using gateway::Needs;
  if (from.source->needs == Needs::token) demand_jwt(build, node, "the " + what + " is taken from", from);
  if (from.source->needs == Needs::api_key && !build.config.identity.api_key.any_known()) {
    const bool group = from.source->name.read != nullptr;
    const auto member = group ? R"("groups": { )" + in_quotes(from.name) + R"(: "…" })" : R"("tier": "pro")";
    build.report.warning(
        code::kNoEffect, node, "no API key is known, so every caller has the default " + what,
        R"(add "identity": { "api_key": { "keys": { "acme": { "key": "${ACME_KEY}", )" + member + " } } } }");
  }
  if (from.source->needs == Needs::field && build.config.identity.trusted_proxies.empty())
    build.report.warning(code::kProxies, node,
                         "the field " + from.name +
                             " is accepted only from trusted proxies, and none is named, so every caller has the "
                             "default " +
                             what,
                         R"(name the proxy that writes it: "identity": { "trusted_proxies": ["10.0.0.0/8"] })");
}

std::optional<ToldRate> read_told_rate(Build& build, const Node& section) {
  const Node* written = find(&section, "rate");
  if (written == nullptr || written->kind != Kind::object) return std::nullopt;
  const Node* from = text_at(written, "from");
  const Node* period = text_at(written, "per");
  const Node* most = find(written, "most");
  std::uint64_t otherwise = 0;
  ToldRate out{.at = most};
  read_number(written, "most", out.size.most);
  read_number(written, "otherwise", otherwise);
  if (from == nullptr || period == nullptr || most == nullptr || otherwise == 0 || check_size_from(from->text))
    return std::nullopt;
  const auto rate = rate_of(otherwise, period->text);
  if (rate.has_error()) return std::nullopt;
  if (otherwise > out.size.most) {
    build.report.error(code::kRange, *find(written, "otherwise"),
                       "\"otherwise\" is more than \"most\", so a caller gains by having no number",
                       "write at most " + std::to_string(out.size.most));
    return std::nullopt;
  }
  out.size.from = *parse_per(from->text);
  check_told_source(build, *from, out.size.from, "size");
  out.otherwise = *rate;
  return out;
}

}  // namespace headgate::config
