#pragma once
// The form of the gateway's own answers to requests that cannot go on: their bodies, and texts of the configuration
// that replace the bodies. config fills the options, and the answers of the path read them.

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

/// The fields that tell a caller its limits: RateLimit (standard), X-RateLimit-* (legacy), both, or none.
enum class RejectionHeaders { both, standard, legacy, none };

/// A value of a problem that a text may contain, as {detail} or another of kBodyVariables.
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

/// The words of the variables. The word of a literal is empty.
inline constexpr WordsUpTo<BodyVariable::home> kBodyVariables({"", "status", "title", "detail", "code", "limit", "when",
                                                               "retry_after", "request_id", "home"});

/// The escaping that keeps the text around a value from being changed by the value.
enum class BodyEscape : std::uint8_t {
  none,   ///< no escaping, for plain text
  json,   ///< for the inside of a JSON string
  markup  ///< for the content and for quoted attributes of HTML and XML
};

/// A body with variables. Immutable.
struct BodyTemplate {
  struct Part {
    BodyVariable variable = BodyVariable::literal;
    std::string text;  ///< the text of a literal
  };
  std::string content_type;
  BodyEscape escape = BodyEscape::none;
  std::vector<Part> parts;
};
using BodyTemplatePtr = std::shared_ptr<const BodyTemplate>;

/// Splits `text` into its parts. Braces that do not enclose the word of a variable are text. Never fails.
std::vector<BodyTemplate::Part> read_body(std::string_view text);

/// Returns how values are escaped in a body of this type; nothing if the type is none of JSON, HTML, XML and plain
/// text. Parameters of the type, such as a charset, do not matter.
std::optional<BodyEscape> escape_of_type(std::string_view content_type);

/// The body of answers of the gateway itself.
struct OwnBody {
  enum class Form {
    problem,    ///< RFC 9457, or another type that the client prefers
    openai,     ///< the form of errors that OpenAI's clients read
    anthropic,  ///< the form of errors that Anthropic's clients read
    none        ///< rejections have no body; other problems have the body of `problem`
  };
  Form form = Form::problem;
  BodyTemplatePtr text;  ///< text that replaces `form`; null if there is no text
};

/// The form of problems: the type that Accept asks for, or always JSON.
enum class ErrorPages { as_accepted, json };
enum class ProblemForm : std::uint8_t { json, html, text };

/// A text of the configuration for problems of some statuses.
struct ErrorPage {
  unsigned first = 400;  ///< the lowest status that the text is for
  unsigned last = 599;   ///< the highest status that the text is for
  ProblemForm form = ProblemForm::html;
  BodyTemplatePtr text;  ///< the text; never null
};

/// The form of rejections and other problems.
struct Rejection {
  RejectionHeaders headers = RejectionHeaders::both;
  OwnBody body;
};

}  // namespace headgate::gateway
