#pragma once
// How the gateway's own answers to requests that cannot go on look: the form of their bodies, and texts of the user in
// place of them. config fills it, the answers of the path read it.

#include "headgate/core/per_enum.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// Which fields tell a caller its limits: RateLimit (standard), X-RateLimit-* (legacy), both, or none.
enum class RejectionHeaders { both, standard, legacy, none };

/// What a text of the user may say of a problem, as {detail} or another of kBodyVariables.
enum class BodyVariable : std::uint8_t {
  literal,
  status,
  title,
  detail,
  code,
  limit,
  when,
  retry_after,
  request_id,
  home
};

/// A literal has no word.
inline constexpr WordsUpTo<BodyVariable::home> kBodyVariables({"", "status", "title", "detail", "code", "limit", "when",
                                                               "retry_after", "request_id", "home"});

/// How a value is written into a text, so that it stays a value there.
enum class BodyEscape : std::uint8_t {
  none,   ///< as it is: of plain text
  json,   ///< for the inside of a JSON string
  markup  ///< for the content and for quoted attributes of HTML and XML
};

/// A body with variables. Immutable.
struct BodyTemplate {
  struct Part {
    BodyVariable variable = BodyVariable::literal;
    std::string text;  ///< of a literal
  };
  std::string content_type;
  BodyEscape escape = BodyEscape::none;
  std::vector<Part> parts;
};
using BodyTemplatePtr = std::shared_ptr<const BodyTemplate>;

/// The parts of `text`. Braces around anything else than a variable's word are text. Never fails.
std::vector<BodyTemplate::Part> read_body(std::string_view text);

/// How values are escaped in a body of this type; nothing if the type is none of JSON, HTML, XML and plain text.
/// Parameters of the type, such as a charset, do not matter.
std::optional<BodyEscape> escape_of_type(std::string_view content_type);

/// The body of answers of the gateway itself.
struct OwnBody {
  enum class Form {
    problem,    ///< RFC 9457, or what the client takes more gladly
    openai,     ///< as the clients of OpenAI read errors
    anthropic,  ///< as the clients of Anthropic read errors
    none        ///< rejections have no body; other problems have that of `problem`
  };
  Form form = Form::problem;
  BodyTemplatePtr text;  ///< in place of `form`; null: none
};

/// In which form a client gets a problem: as its Accept says, or always as JSON.
enum class ErrorPages { as_accepted, json };
enum class ProblemForm : std::uint8_t { json, html, text };

/// A text of the user for problems of some statuses.
struct ErrorPage {
  unsigned first = 400;  ///< the least status that it is for
  unsigned last = 599;   ///< the largest one
  ProblemForm form = ProblemForm::html;
  BodyTemplatePtr text;  ///< never null
};

/// How rejections and other problems look.
struct Rejection {
  RejectionHeaders headers = RejectionHeaders::both;
  OwnBody body;
};

}  // namespace headgate::gateway
