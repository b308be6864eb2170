// Compiles the changes of a route into the form that the path uses.

#include "headgate/gateway/options.hpp"
#include "headgate/gateway/route_edits.hpp"
#include "headgate/http/path.hpp"

#include <boost/beast/http/field.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Returns the index of {name} among the segments of `pattern`; kNone if it is not there.
std::size_t segment_called(std::string_view pattern, std::string_view name) noexcept {
  pattern.remove_prefix(std::min<std::size_t>(1, pattern.size()));
  for (std::size_t at = 0; !pattern.empty(); ++at) {
    const auto segment = http::next_segment(pattern);
    const bool here =
        segment.size() == name.size() + 2 && segment.front() == '{' && segment.substr(1, name.size()) == name;
    if (here) return at;
  }
  return PathTemplate::kNone;
}

/// Returns the number of segments before the '*' at the end of `pattern`.
std::size_t segments_before_rest(std::string_view pattern) noexcept {
  return static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), '/')) - 1;
}

/// Returns the template for `written`, a path that may have an authority before it. Of "/new/*", only "/new" is stored,
/// because the rest of the request's path begins with a slash.
PathTemplate path_template(std::string_view written, std::string_view pattern) {
  PathTemplate out;
  if (written.ends_with("/*")) {
    written.remove_suffix(2);
    out.rest_after = segments_before_rest(pattern);
  }
  out.pieces.emplace_back();
  while (!written.empty()) {
    auto& piece = out.pieces.back();
    const auto open = written.find('{');
    piece.text += written.substr(0, open);
    if (open == written.npos) break;
    const auto close = written.find('}', open);
    piece.segment = segment_called(pattern, written.substr(open + 1, close - open - 1));
    written.remove_prefix(close + 1);
    out.pieces.emplace_back();
  }
  return out;
}

PathTemplate prefix_template(const Rewrite& rewrite, std::string_view base) {
  PathTemplate out;
  out.pieces.push_back({.text = std::string(base) + rewrite.add_prefix});
  out.rest_after = static_cast<std::size_t>(std::count(rewrite.strip_prefix.begin(), rewrite.strip_prefix.end(), '/'));
  return out;
}

void append_fields(const std::vector<FieldEdit>& from, std::string_view pattern, std::vector<FieldEdit>& to,
                   bool& reads_token) {
  for (const auto& each : from) {
    auto& made = to.emplace_back(each);
    made.id = boost::beast::http::string_to_field(made.name);
    for (auto& part : made.value) {
      reads_token = reads_token || part.kind == TextPart::Kind::claim;
      if (part.kind == TextPart::Kind::path) part.segment = segment_called(pattern, part.text);
    }
  }
}

/// Appends edits that replace fields of the client with the fields of the same names from the auth service's answer.
/// The route's own changes come afterwards.
void append_auth(const AuthService& auth, RouteEdits& out) {
  const auto said = [](const std::string& name) {
    FieldEdit edit{.how = FieldEdit::How::set, .name = name, .value = {{TextPart::Kind::auth, name}}};
    edit.id = boost::beast::http::string_to_field(name);
    return edit;
  };
  for (const auto& name : auth.copy) out.request_fields.push_back(said(name));
  for (const auto& name : auth.copy_to_answer) {
    auto edit = said(name);
    if (edit.id == http::Known::set_cookie) edit.how = FieldEdit::How::add_each;
    out.response_fields.push_back(std::move(edit));
  }
}

/// Appends an edit that removes the password, which the server does not need. The route's own changes to the field come
/// afterwards.
void withhold_password(RouteEdits& out) {
  FieldEdit edit{.how = FieldEdit::How::remove, .name = "Authorization"};
  edit.id = http::Known::authorization;
  out.request_fields.push_back(std::move(edit));
}

void compile_redirect(const RouteRedirect& redirect, std::string_view pattern, RouteEdits& out) {
  const auto mark = redirect.to.find('?');
  out.location = path_template(std::string_view(redirect.to).substr(0, mark), pattern);
  if (mark != std::string::npos) out.query = redirect.to.substr(mark);
}

}  // namespace

std::shared_ptr<const RouteEdits> compile_edits(const EditOptions* all, const RouteOptions& route,
                                                std::string_view base) {
  const EditOptions* const own = route.edits.get();
  const bool withholds = route.basic && !route.basic->pass_on;
  if (all == nullptr && own == nullptr && !route.auth && !withholds && base.empty()) return nullptr;
  auto made = std::make_shared<RouteEdits>();
  if (withholds) withhold_password(*made);
  if (route.auth) append_auth(*route.auth, *made);
  for (const auto* const each : {all, own}) {
    if (each == nullptr) continue;
    append_fields(each->request_fields, route.path, made->request_fields, made->reads_token);
    append_fields(each->response_fields, route.path, made->response_fields, made->reads_token);
    append_fields(each->respond_fields, route.path, made->respond_fields, made->reads_token);
    made->always = made->always || each->always;
    if (each->host) made->host = *each->host;
  }
  static const Rewrite kNothing;
  const auto& rewrite = own != nullptr ? own->rewrite : kNothing;
  const bool rewrites = !rewrite.empty() || !base.empty();
  if (rewrites) {
    made->path = rewrite.path.empty() ? prefix_template(rewrite, base) : path_template(rewrite.path, route.path);
    if (!rewrite.path.empty()) made->path->pieces.front().text.insert(0, base);
  }
  made->stripped = rewrite.strip_prefix;
  made->added = std::string(base) + rewrite.add_prefix;
  made->turns_paths = rewrites && rewrite.path.empty();
  if (own != nullptr && own->redirect) compile_redirect(*own->redirect, route.path, *made);
  const auto wanted = own != nullptr && own->answers ? own->answers : all != nullptr ? all->answers : std::nullopt;
  made->answers = wanted.value_or(rewrites || made->host.is != HostHeader::Is::as_received);
  return made;
}

}  // namespace headgate::gateway
