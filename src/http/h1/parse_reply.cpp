#include "field_sink.hpp"
#include "line_rules.hpp"

#include "headgate/http/hop.hpp"

namespace headgate::http::h1 {
namespace {

class ReplySink final : public FieldSink<false> {
 public:
  ReplySink(ReplyHead& head, const Limits& limits) : FieldSink(head.fields, limits.fields), head_(head) {}

 private:
  void on_request_impl(boost::beast::http::verb, string_view, string_view, int, boost::beast::error_code&) override {}
  void on_response_impl(int status, string_view reason, int version, boost::beast::error_code&) override {
    head_.status = static_cast<unsigned>(status);
    head_.reason = view(reason);
    head_.version = static_cast<unsigned>(version);
  }

  ReplyHead& head_;
};

Framing framing_of(const FramingRules& rules, std::string_view request_method, unsigned status) noexcept {
  // RFC 9112 section 6.3: these have no body whatever the fields say (for HEAD and 304 they describe the body not
  // sent).
  if (status < 200 || status == 204 || status == 304 || request_method == "HEAD") return {};
  if (rules.chunked) return {Framing::Kind::chunked, 0};
  if (rules.has_length) return rules.length > 0 ? Framing{Framing::Kind::length, rules.length} : Framing{};
  return {Framing::Kind::until_close, 0};
}

}  // namespace

Result<void, Refusal> parse_reply(std::string_view bytes, std::string_view request_method, const Limits& limits,
                                  ReplyHead& head) {
  if (const auto* why = refused_lines(bytes)) return Refusal{502, why};
  ReplySink sink(head, limits);
  boost::beast::error_code ec;
  sink.put(boost::asio::buffer(bytes.data(), bytes.size()), ec);
  if (ec) return Refusal{502, sink.too_many() ? "the answer has too many fields" : "the answer's head is malformed"};
  if (head.status < 100 || head.status > 599) return Refusal{502, "the answer's status is outside 100 to 599"};

  const auto rules = framing_rules(head.fields, head.version);
  if (rules.refused) return Refusal{502, rules.refused};
  const bool bodiless = head.status < 200 || head.status == 204;
  if (bodiless && (rules.chunked || rules.length > 0)) return Refusal{502, "an answer that has no body announces one"};
  head.framing = framing_of(rules, request_method, head.status);

  const auto connection = connection_options(head.fields);
  if (connection.names > kMostNamedInConnection) return Refusal{502, "the answer's Connection names too many fields"};
  head.keep_alive = !connection.close && (head.version >= 11 || connection.keep_alive) &&
                    head.framing.kind != Framing::Kind::until_close;
  return {};
}

Result<void, Refusal> parse_trailers(std::string_view bytes, const Limits& limits, Fields& trailers) {
  trailers.clear();
  if (bytes == "\r\n") return {};
  if (const auto* why = refused_lines(bytes)) return Refusal{400, why};
  // The parser wants a start line; a minimal one in front costs a copy, and trailers are rare.
  for (std::string_view rest = bytes; rest != "\r\n";) {
    const auto end = rest.find("\r\n");
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    const auto colon = line.find(':');
    constexpr std::string_view kToken = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const auto name = line.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() || name.find_first_not_of(kToken) != std::string_view::npos) {
      return Refusal{400, "a trailer field is malformed"};
    }
    if (trailers.size() == limits.fields) return Refusal{431, "there are too many trailer fields"};
    const auto id = boost::beast::http::string_to_field({name.data(), name.size()});
    switch (id) {
      case Known::transfer_encoding:
      case Known::content_length:
      case Known::host:
      case Known::trailer:
      case Known::connection:
      case Known::authorization:
      case Known::content_encoding:
      case Known::content_type:
      case Known::content_range:
      case Known::set_cookie:
      case Known::cookie:
      case Known::te:
      case Known::upgrade:
      case Known::expect:
      case Known::proxy_authorization:
        return Refusal{400, "a trailer field has no place in trailers"};
      default:
        trailers.push_back({id, name, trimmed(line.substr(colon + 1))});
    }
  }
  return {};
}

}  // namespace headgate::http::h1
