// Reads the settings for rejections, and the bodies of the gateway's own answers.

#include "answers.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/per_enum.hpp"

namespace headgate::config {
namespace {

constexpr WordsUpTo<gateway::RejectionHeaders::none> kRejectionHeaders({"both", "standard", "legacy", "none"});
constexpr Shape kRejectionHeadersShape = choice(kRejectionHeaders);
constexpr WordsUpTo<gateway::OwnBody::Form::none> kRejectionBodies({"problem", "openai", "anthropic", "none"});
constexpr Shape kBodyWord = choice(kRejectionBodies);
constexpr Shape kBodyType = text("a media type", check_field_value);
constexpr Key kBodyTextKeys[] = {
    {"text", &kText, "", R"("<error code='{code}'>{detail}</error>")",
     "The body. Variables: `{status}`, `{title}`, `{detail}`, `{code}`, `{limit}`, `{when}`, `{retry_after}` (seconds, "
     "0 if unknown), `{request_id}` and `{home}`; values are escaped for the media type"},
    {"file", &kFilePath, "", R"("errors/problem.xml")",
     "File with the body, in place of `text`, at most 64KiB. Read at startup and reload"},
    {"type", &kBodyType, "", R"("application/xml")",
     "Media type: JSON, HTML, XML or plain text. Default: from the name of `file`, otherwise `application/json`"},
};
constexpr std::string_view kBodySources[] = {"text", "file"};
constexpr Section kBodyText{.name = "rejection_body",
                            .path = "rejection.body",
                            .doc = "A body of your own.",
                            .keys = kBodyTextKeys,
                            .one_of = kBodySources};
constexpr Shape kBodyTextShape = section(kBodyText);
constexpr const Shape* kBodyForms[] = {&kBodyWord, &kBodyTextShape};
constexpr Shape kBody = either("a word, or an object with a text", kBodyForms);
constexpr Key kRejectionKeys[] = {
    {"headers", &kRejectionHeadersShape, kOfOptions, R"("both")",
     "Rate limit fields: `standard` (`RateLimit`, `RateLimit-Policy`), `legacy` (`X-RateLimit-*`), `both` or `none`. A "
     "429 always has `Retry-After`, unless waiting does not help",
     into<&gateway::Rejection::headers>},
    {"body", &kBody, R"("problem")", R"("openai")",
     "Body of the gateway's own answers: `problem` (`application/problem+json`, or a form that the client prefers), "
     "`openai` or `anthropic` (as their clients parse errors), `none` (rejections have no body), or an object with a "
     "body of your own"},
};
constexpr Section kRejection{"rejection", "rejection", "Fields and body of the gateway's own answers.", kRejectionKeys};
constexpr Key kRouteRejectionKeys[] = {
    {"body", &kBody, "", R"("openai")", "Like `rejection.body`, for this route"},
};
constexpr Section kRouteRejection{"route_rejection", "routes[].rejection",
                                  "Body of the gateway's own answers on this route.", kRouteRejectionKeys};

gateway::BodyTemplatePtr body_text(Build& build, const Node& written) {
  const Node* file = text_at(&written, "file");
  const Node* own = text_at(&written, "text");
  const Node* wanted = text_at(&written, "type");
  std::string type = file != nullptr ? page_type_of(file->text) : "application/json";
  if (wanted != nullptr) type = wanted->text;
  if (!gateway::escape_of_type(type)) {
    const std::string help = R"(write "type": "application/json", or a type of HTML, XML or plain text)";
    if (wanted != nullptr)
      build.report.error(code::kLiteral, *wanted, "values cannot be escaped for the type " + in_quotes(type), help);
    else if (file != nullptr)
      build.report.error(code::kLiteral, *file, "the type of this file cannot be told from its name", help);
    return nullptr;
  }
  if (file != nullptr) return read_page_file(build, *file, std::move(type));
  return own != nullptr ? read_page(build, *own, "this text", own->text, std::move(type)) : nullptr;
}

}  // namespace

constexpr Shape kRejectionShape = section(kRejection);
constexpr Shape kRouteRejectionShape = section(kRouteRejection);

bool build_body(Build& build, const Node* rejection, gateway::OwnBody& out) {
  const Node* body = find(rejection, "body");
  if (body == nullptr) return false;
  read_choice(rejection, "body", kRejectionBodies, out.form);
  if (body->kind == Kind::object) out.text = body_text(build, *body);
  return true;
}

}  // namespace headgate::config
